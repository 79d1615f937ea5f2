import Glibc
import Testing

@testable import BLEWeb

@Suite("How often something may be done")
struct RateTests {
  private static let one = ClientAddress([192, 0, 2, 1])
  private static let other = ClientAddress([192, 0, 2, 2])

  @Test("I15.1 a client may do so many at once and then so many each second; others are not held up by it")
  func tokens() {
    let limiter = RateLimiter(Rate(burst: 3, perSecond: 2))
    let start = ContinuousClock.now
    func admitted(_ client: ClientAddress, _ seconds: Double) -> Int {
      (0..<10).count { _ in limiter.admits(client, at: start + .seconds(seconds)) }
    }
    #expect(admitted(Self.one, 0) == 3)
    #expect(admitted(Self.other, 0) == 3)
    #expect(admitted(Self.one, 0.25) == 0)
    #expect(admitted(Self.one, 0.5) == 1)
    #expect(admitted(Self.one, 1.5) == 2)
    // No more than the burst, however long it waits; and a clock that goes back gives nothing.
    #expect(admitted(Self.one, 1_000) == 3)
    #expect(admitted(Self.one, 10) == 0)
    #expect(admitted(Self.one, 1_000.5) == 1)
  }

  @Test(
    "I15.1 the clients that are remembered are bounded, and who is out of tokens is not forgotten for new ones first")
  func memory() {
    let limiter = RateLimiter(Rate(burst: 2, perSecond: 1), capacity: 8)
    let start = ContinuousClock.now
    for number in 0..<UInt8(100) {
      let now = start + .seconds(10 + Double(number) * 3)
      #expect(limiter.admits(ClientAddress([10, 0, 0, number]), at: now))
      #expect(limiter.count <= 8)
    }
    let now = start + .seconds(1_000)
    for _ in 0..<2 { #expect(limiter.admits(Self.one, at: now)) }
    for number in 0..<UInt8(7) { _ = limiter.admits(ClientAddress([10, 1, 0, number]), at: now) }
    // All of the others have their tokens again.
    _ = limiter.admits(Self.other, at: now + .seconds(1.5))
    #expect(!limiter.admits(Self.one, at: now))
  }

  @Test("I15.1 a client is an IPv4 address, or the 64 bits that an IPv6 address begins with")
  func addresses() throws {
    func address(_ text: String) throws -> ClientAddress {
      var hints = addrinfo()
      hints.ai_flags = AI_NUMERICHOST
      var found: UnsafeMutablePointer<addrinfo>?
      try #require(getaddrinfo(text, nil, &hints, &found) == 0)
      defer { freeaddrinfo(found) }
      return ClientAddress(found.flatMap { UnsafePointer($0.pointee.ai_addr) })
    }
    #expect(try address("192.0.2.1") == Self.one && address("::ffff:192.0.2.1") == Self.one)
    #expect(try address("192.0.2.1") != address("192.0.2.2"))
    #expect(try address("2001:db8:1:2:3::4") == address("2001:db8:1:2::5"))
    #expect(try address("2001:db8:1:2::4") != address("2001:db8:1:3::4"))
    #expect(ClientAddress(nil) == ClientAddress([]))
  }

  @Test("I15.1 too many requests that change something are refused with 429; looking is not counted")
  func changes() async throws {
    var limits = WebServer.Limits.patient
    limits.changes = Rate(burst: 5, perSecond: 0.001)
    try await TestServer.run(limits) { server in
      for number in 0..<8 {
        let response = try await server.response(to: "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        #expect(response.status == (number < 5 ? 200 : 429))
        #expect(number < 5 || response.header("Retry-After") != nil)
        #expect(try await server.isAlive())
      }
    }
  }
}
