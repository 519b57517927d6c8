import Actors
import Testing

/// A dictionary that lost most of its entries.
struct DictionaryShrinkTests {
    @Test func `only one that was made for much more gets a smaller place, with all it holds`() {
        var numbers = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ($0, $0) })
        let full = numbers.capacity
        for number in 30_000..<100_000 { numbers[number] = nil }
        numbers.shrinkIfSparse()
        #expect(numbers.capacity == full)
        for number in 100..<30_000 { numbers[number] = nil }
        let expected = numbers
        numbers.shrinkIfSparse()
        #expect(numbers.capacity < 1024)
        #expect(numbers == expected)
        // Small ones stay as they are.
        var few = [Int: Int](minimumCapacity: 500)
        let capacity = few.capacity
        few.shrinkIfSparse()
        #expect(few.capacity == capacity)
    }
}
