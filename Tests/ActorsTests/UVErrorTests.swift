import Actors
import Testing

struct UVErrorTests {
    @Test func `an error names the call, the reason and the symbol`() {
        let error = UVError(code: -13, call: "listen 127.0.0.1:80")
        #expect(error.description == "listen 127.0.0.1:80: permission denied (EACCES)")
        #expect(error.name == "EACCES")
    }

    @Test func `a code that libuv does not know still has a text`() {
        #expect(UVError(code: -9999, call: "read").description.hasPrefix("read: "))
    }
}
