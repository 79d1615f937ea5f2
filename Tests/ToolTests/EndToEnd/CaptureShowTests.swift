import Foundation
import Testing

/// `ble capture show`: what it chooses of a capture, and the page.
@Suite("Captures shown", .serialized, .timeLimit(.minutes(10)))
struct CaptureShowTests {
  private let place = Neighbourhood()
  private let path: String

  /// A capture of one reading.
  init() throws {
    try place.serve("owenli")
    path = place.path("c.btsnoop")
    #expect(try place.run("read", "Owenli", "FFF2", "--capture", path).status == 0)
  }

  @Test("I14.7 the set-up of controllers is left out unless it is asked for, and the other device is named")
  func setup() throws {
    let (shown, all) = (
      try place.run("capture", "show", path), try place.run("capture", "show", path, "--setup")
    )
    #expect(all.lines.contains { $0.contains("HCI_Reset") } && !shown.lines.contains { $0.contains("HCI_Reset") })
    #expect(shown.lines.count > 10 && shown.lines.count < all.lines.count)
    // What is shown has the same times, with and without.
    #expect(Set(shown.lines).isSubset(of: all.lines))
    #expect(shown.errors.contains { $0.contains("--setup shows them") } && all.errors.isEmpty)
    #expect(shown.lines.contains { $0.contains("[Owenli]") && $0.contains("ATT_READ_REQ") })
  }

  @Test("I14.7 --att shows the Attribute Protocol only, --device one device, by name, its beginning or address")
  func choice() throws {
    let attributes = try place.run("capture", "show", path, "--att").lines
    #expect(!attributes.isEmpty && attributes.allSatisfy { $0.contains(" ATT ") })
    let objects = try place.run("capture", "show", path, "--json").lines.compactMap(ToolProcess.object)
    let address = try #require(objects.compactMap { $0["device"] as? String }.first)
    let ofDevice = try place.run("capture", "show", path, "--device", "owenLI")
    #expect(ofDevice.status == 0 && ofDevice.lines.count > attributes.count)
    #expect(ofDevice.lines.allSatisfy { $0.contains("[Owenli]") || $0.contains(address) }, "\(ofDevice.transcript)")
    for name in ["Owe", address, address.lowercased()] {
      #expect(try place.run("capture", "show", path, "--device", name).lines == ofDevice.lines, "\(name)")
    }
    let unknown = try place.run("capture", "show", path, "--device", "Nobody")
    #expect(unknown.status == 68 && unknown.errors.contains { $0.contains("it names 'Owenli'") })
    #expect(try place.run("capture", "show", path, "--device", "00:00:00:00:00:01").status == 68)
  }

  @Test("I14.6 --html writes a page instead of lines, without keys unless they are asked for")
  func page() throws {
    let page = place.path("c.html")
    let written = try place.run("capture", "show", path, "--html", page)
    #expect(written.status == 0 && written.lines.isEmpty)
    #expect(written.errors.contains { $0.contains("a page of") }, "\(written.transcript)")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    #expect(text.hasPrefix("<!doctype html>") && text.hasSuffix("</html>\n") && text.contains("ATT_READ_REQ"))
    #expect(!text.contains("HCI_Reset"))
    #expect(try place.run("capture", "show", path, "--html", page, "--setup").status == 0)
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("HCI_Reset"))
    #expect(try place.run("capture", "show", path, "--with-keys").status == 64)
    #expect(try place.run("capture", "show", path, "--html", path).status == 64)
    #expect(try place.run("capture", "show", path, "--html", "/nowhere/at/all.html").status == 66)
  }
}
