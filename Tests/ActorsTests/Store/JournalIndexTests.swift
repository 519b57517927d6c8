import Testing

@testable import Actors

struct JournalIndexTests {
    @Test func `a snapshot covers what came before it and nothing else`() {
        var index = JournalIndex()
        for number in Int64(5)...9 {
            let isNext = index.append(100 + number, number: number, chain: 0, of: 1)
            #expect(isNext)
        }
        let isNext = index.append(200, number: 1, chain: 0, of: 2)
        #expect(isNext)
        #expect(index.oldest == 105)
        index.cover(1, through: 7)
        #expect(index[1]?.first == 8)
        #expect(index[1]?.seqs == [108, 109])
        #expect(index.oldest == 108)
        #expect(index.count == 3)
        index.cover(1, through: 4)
        #expect(index[1]?.seqs == [108, 109])
        index.cover(1, through: 9)
        #expect(index[1] == nil)
        #expect(index.oldest == 200)
        index.cover(2, through: .max)
        #expect(index.oldest == nil)
        #expect(index.count == 0)
    }

    @Test func `a number that is not the next one is refused`() {
        var index = JournalIndex()
        let answers = [
            index.append(1, number: 4, chain: 0, of: 1),
            index.append(2, number: 4, chain: 0, of: 1),
            index.append(2, number: 6, chain: 0, of: 1),
            index.append(2, number: 5, chain: 0, of: 1),
        ]
        #expect(answers == [true, false, false, true])
    }

    @Test func `a gap that was found on disk ends the run, which keeps what came before it`() {
        var index = JournalIndex()
        index.restore(10, number: 2, chain: 0, of: 1)
        index.restore(11, number: 4, chain: 0, of: 1)
        index.restore(12, number: 5, chain: 0, of: 1)
        #expect(index[1]?.seqs == [10])
        #expect(index[1]?.gap == 3)
        #expect(index.oldest == 10)
        #expect(index.count == 1)
    }
}
