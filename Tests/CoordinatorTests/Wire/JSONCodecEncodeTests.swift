import Coordinator
import Testing

@Suite struct JSONCodecEncodeTests {
    private func line(_ body: Reply.Body, id: UInt32 = 5) -> String {
        var bytes: [UInt8] = []
        JSONCodec.encode(Reply(id: id, body: body), into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func line(_ push: Push) -> String {
        var bytes: [UInt8] = []
        JSONCodec.encode(push, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private let phone = ClientInfo(client: "c-1", device: "phone", role: .player)

    @Test func `results are never left out and zero values are`() {
        #expect(line(.unsubscribe) == "{\"id\":5,\"unsubscribe\":{}}\n")
        #expect(line(.publish) == "{\"id\":5,\"publish\":{}}\n")
        #expect(line(.rpc(data: bytes("null"))) == "{\"id\":5,\"rpc\":{\"data\":null}}\n")
        #expect(line(.rpc(data: [])) == "{\"id\":5,\"rpc\":{}}\n")
        #expect(line(.subscribe(Reply.Subscribe(position: nil))) == "{\"id\":5,\"subscribe\":{}}\n")
        #expect(line(.presence([])) == "{\"id\":5,\"presence\":{\"presence\":{}}}\n")
        #expect(
            line(.presenceStats(clients: 0, users: 0))
                == "{\"id\":5,\"presence_stats\":{\"num_clients\":0,\"num_users\":0}}\n")
        let position = StreamPosition(epoch: "", offset: 0)
        #expect(
            line(.history(Reply.History(position: position, publications: [])))
                == "{\"id\":5,\"history\":{\"publications\":[],\"epoch\":\"\",\"offset\":0}}\n")
    }

    @Test func `an error has its code and message and says only when it is temporary`() {
        #expect(
            line(.error(ReplyError(code: 107, message: "bad request: \"x\"\n")), id: .max)
                == #"{"id":4294967295,"error":{"code":107,"message":"bad request: \"x\"\n"}}"#
                + "\n")
        #expect(
            line(.error(.tooManyRequests("slow down")))
                == #"{"id":5,"error":{"code":111,"message":"too many requests: slow down","temporary":true}}"#
                + "\n")
        var bytes: [UInt8] = []
        JSONCodec.encode(ReplyError(code: 107, message: "m"), into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self) == #"{"error":{"code":107,"message":"m"}}"#
                + "\n")
    }

    @Test func `connect tells the ping and that a pong is wanted, or neither`() {
        #expect(
            line(.connect(Reply.Connect(client: "c", version: "coordd 1", ping: 25)))
                == #"{"id":5,"connect":{"client":"c","version":"coordd 1","ping":25,"pong":true}}"#
                + "\n")
        #expect(
            line(.connect(Reply.Connect(client: "c", version: "coordd 1", ping: 0)))
                == #"{"id":5,"connect":{"client":"c","version":"coordd 1"}}"# + "\n")
    }

    @Test func `a subscription with a position shows it, also at offset 0`() {
        let position = StreamPosition(epoch: "e", offset: 0)
        #expect(
            line(.subscribe(Reply.Subscribe(position: position, data: bytes("{\"rev\":0}"))))
                == #"{"id":5,"subscribe":{"recoverable":true,"positioned":true,"epoch":"e","offset":0,"data":{"rev":0}}}"#
                + "\n")
    }

    @Test func `a recovered subscription has the missed publications`() {
        let result = Reply.Subscribe(
            position: StreamPosition(epoch: "e", offset: 17), wasRecovering: true,
            recovered: true,
            publications: [
                Publication(offset: 18, data: bytes("1")),
                Publication(offset: 19, data: bytes("2")),
            ])
        #expect(
            line(.subscribe(result))
                == #"{"id":5,"subscribe":{"recoverable":true,"positioned":true,"epoch":"e","offset":17,"recovered":true,"was_recovering":true,"publications":[{"data":1,"offset":18},{"data":2,"offset":19}]}}"#
                + "\n")
    }

    @Test func `a subscription that could not recover says so`() {
        let result = Reply.Subscribe(
            position: StreamPosition(epoch: "e", offset: 3), wasRecovering: true)
        #expect(
            line(.subscribe(result))
                == #"{"id":5,"subscribe":{"recoverable":true,"positioned":true,"epoch":"e","offset":3,"was_recovering":true}}"#
                + "\n")
    }

    @Test func `a stage has only its data`() {
        let result = Reply.Subscribe(position: nil, data: bytes("{\"pending\":[]}"))
        #expect(line(.subscribe(result)) == #"{"id":5,"subscribe":{"data":{"pending":[]}}}"# + "\n")
    }

    @Test func `a presence is a map by client id`() {
        let tv = ClientInfo(user: "7", client: "c-2", device: "tv", role: .mirror)
        #expect(
            line(.presence([phone, tv]))
                == #"{"id":5,"presence":{"presence":{"c-1":{"user":"","client":"c-1","chan_info":{"device":"phone","role":"player"}},"c-2":{"user":"7","client":"c-2","chan_info":{"device":"tv","role":"mirror"}}}}}"#
                + "\n")
    }

    @Test func `publications embed their data as it is`() {
        #expect(
            line(
                .publication(
                    channel: "session:a", Publication(offset: 18, data: bytes("{\"x\":1.80}"))))
                == #"{"push":{"channel":"session:a","pub":{"data":{"x":1.80},"offset":18}}}"# + "\n"
        )
        #expect(
            line(.publication(channel: "stage:a", Publication(offset: nil, data: bytes("[]"))))
                == #"{"push":{"channel":"stage:a","pub":{"data":[]}}}"# + "\n")
    }

    @Test func `joins and leaves have the device and its role`() {
        let info =
            #"{"user":"","client":"c-1","chan_info":{"device":"phone","role":"player"}}"#
        #expect(
            line(.join(channel: "session:a", phone))
                == "{\"push\":{\"channel\":\"session:a\",\"join\":{\"info\":\(info)}}}\n")
        #expect(
            line(.leave(channel: "session:a", phone))
                == "{\"push\":{\"channel\":\"session:a\",\"leave\":{\"info\":\(info)}}}\n")
    }

    @Test func `ends have their code and reason`() {
        #expect(
            line(.unsubscribe(channel: "session:a", .closed))
                == #"{"push":{"channel":"session:a","unsubscribe":{"code":2000,"reason":"session closed"}}}"#
                + "\n")
        #expect(
            line(.disconnect(.shutdown))
                == #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"# + "\n")
        #expect(JSONCodec.ping == bytes("{}\n"))
    }

    @Test func `messages are added at the end`() {
        var buffer = bytes("{}\n")
        JSONCodec.encode(Reply(id: 1, body: .publish), into: &buffer)
        JSONCodec.encode(.disconnect(.slow), into: &buffer)
        JSONCodec.encode(ReplyError(code: 100, message: "m"), into: &buffer)
        #expect(
            String(decoding: buffer, as: UTF8.self)
                == "{}\n{\"id\":1,\"publish\":{}}\n"
                + "{\"push\":{\"disconnect\":{\"code\":3008,\"reason\":\"slow\"}}}\n"
                + "{\"error\":{\"code\":100,\"message\":\"m\"}}\n")
    }
}
