import Actors
import Coordinator
import Testing

@Suite struct PostTests {
    @Test func `a session's loop follows from its name alone`() throws {
        // FNV-1a of "a" is 0xAF63DC4C8601EC8C, and 0xAF63DC4C ^ 0x8601EC8C ends with a zero bit.
        let session = try #require(SessionID("a"))
        #expect(Post.place(of: session, among: 1) == 0)
        #expect(Post.place(of: session, among: 2) == 0)
        let hash: UInt64 = 0xAF63_DC4C_8601_EC8C
        #expect(Post.place(of: session, among: 64) == Int((hash ^ hash >> 32) % 64))
    }

    @Test(arguments: [2, 3, 8, 64])
    func `sessions spread evenly over the loops`(loops: Int) throws {
        var counts = [Int](repeating: 0, count: loops)
        let each = 500
        for number in 0..<each * loops {
            let session = try #require(SessionID("match-\(number)-viewer"))
            counts[Post.place(of: session, among: loops)] += 1
        }
        // Six standard deviations of a fair choice.
        for count in counts { #expect(abs(count - each) < 135) }
    }
}
