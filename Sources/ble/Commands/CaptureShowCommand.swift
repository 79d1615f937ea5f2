import BLECapture
import Foundation

/// `ble capture show`: prints a capture as text, or writes it as a page.
struct CaptureShowCommand: ToolCommand {
  static let file = Parameter<String>.argument("file", "A btsnoop, pcapng, pcap or PacketLogger (.pklg) file.")

  static let keys = Parameter.option(
    "keys", "file", "The keys of encrypted links, as --capture-keys writes them.", \String.self)
  static let device = Parameter.options(
    "device", "name-or-address", "Only packets of this device; may be given several times.", of: String.self)
  static let attributes = Parameter.flag("att", "Only the Attribute Protocol.")
  static let setup = Parameter.flag("setup", "Also the commands with which controllers are set up, and their answers.")
  static let html = Parameter.option(
    "html", "page", "Write a page for a browser instead, with lanes, time to scale and octets.", \FilePath.text)
  static let withKeys = Parameter.flag("with-keys", "Leave the keys in the page; otherwise zeros stand in their place.")

  static let group = CommandNode(
    group: "capture", abstract: "Look into recorded traffic.",
    subcommands: [
      CommandNode(
        "show", abstract: "Print the packets of a capture, decoded.",
        discussion: """
          A line for each packet: seconds since the first, the recorded device where the capture has several, which way it \
          went (< from the host, > to the host, * on the air), the name of the other device in brackets once the capture \
          has said it, and what the packet says in its highest layer. Encrypted links of the air are decrypted with the \
          keys of a file that --capture-keys wrote.

          The set-up of controllers is left out: from a reset to the first command for advertising, scanning or \
          connecting. A device of --device is the other side of links, by its address, its name or the beginning of that; \
          or one of the recorded devices, by its name in the capture.

          --html writes one file that needs nothing else: lanes for program, host and peers, quiet stretches folded, what \
          answers what joined by lines, octets of each packet. Keys are not in it, as after 'ble capture redact'.
          """,
        file, keys, device, attributes, setup, html, withKeys
      ) { (file, keys, devices, attributes, setup, html, withKeys) throws(UsageError) in
        if withKeys, html == nil { throw UsageError("'--with-keys' belongs to '--html'") }
        return CaptureShowCommand(
          path: file, keysPath: keys, devices: devices, attributesOnly: attributes, includesSetup: setup, page: html,
          pageHasKeys: withKeys)
      },
      CaptureRedactCommand.node,
    ])

  let path: String
  let keysPath: String?
  let devices: [String]
  let attributesOnly: Bool
  let includesSetup: Bool
  let page: String?
  let pageHasKeys: Bool

  func run(in session: Session) async throws(ToolError) {
    let keys = try keysPath.map(CaptureFile.keys) ?? CaptureKeys()
    let chosen = try await CaptureDevices.chosen(devices, in: path, session)
    var selection = CaptureSelection(
      includesSetup: includesSetup, attributeProtocolOnly: attributesOnly, device: chosen)
    let reader = try CaptureFile.open(path)
    let dissection = CaptureDissection(keys: keys, takesSecretsOut: page != nil && !pageHasKeys)
    let printer: any CapturePrinter =
      if let page { try CapturePage(of: path, to: page) } else { CaptureLines(session.output, dissection.dissector) }
    var number = 0
    while let packet = try CaptureFile.next(of: reader, at: path) {
      number += 1
      let dissected = dissection.dissect(packet)
      if selection.contains(dissected) { printer.add(dissected, number: number, names: reader.interfaceNames) }
      if number.isMultiple(of: 256) { await Task.yield() }
      // The reader of the output has closed it, or Ctrl-C was pressed.
      if let interruption = session.waiting.interruption { throw interruption }
    }
    if let summary = try printer.finish() { session.output.note(summary) }
    if number == 0 { session.output.note("The capture has no packets.") }
    if selection.setupCount > 0 {
      session.output.note("\(selection.setupCount) packets of set-up are left out; --setup shows them.")
    }
    if let keysPath, dissection.dissector.sealedCount > 0 {
      let count = dissection.dissector.sealedCount
      session.output.note(
        dissection.dissector.openedCount == 0
          ? "None of the keys in \(keysPath.inert) fits: \(count) packets stay encrypted."
          : "No key in \(keysPath.inert) opens \(count) of the packets.")
    }
  }
}
