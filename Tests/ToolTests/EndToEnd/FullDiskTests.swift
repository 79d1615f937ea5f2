import BLESessionStore
import Foundation
import Testing

@testable import ble

/// What commands do whose disk is full: a small file system in memory, which each command has for itself.
@Suite("A full disk", .serialized, .timeLimit(.minutes(5)))
struct FullDiskTests {
  private let place = Neighbourhood()
  private var disk: String { place.path("disk") }

  /// Whether this system lets a test have file systems and a network of its own.
  private static let isTestable: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["--map-root-user", "--mount", "--net", "mount", "-t", "tmpfs", "none", "/mnt"]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Runs a script that finds a disk of that size at `$DISK`.
  private func onDisk(_ size: String, network: Bool = true, _ script: String) throws -> ToolProcess {
    let file = try place.file(
      "script", "set -e\nmkdir -p \"$DISK\"\nmount -t tmpfs -o size=\(size) none \"$DISK\"\n\(script)\n")
    return try place.shell(
      "export DISK='\(disk)'; exec unshare --map-root-user --mount \(network ? "" : "--net") sh '\(file)'")
  }

  private func until(_ what: Comment, _ holds: () -> Bool) throws {
    for _ in 0..<6_000 {
      if holds() { return }
      usleep(10_000)
    }
    try #require(holds(), what)
  }

  @Test(
    "I15.3 a recording whose disk becomes full says so, keeps what it hears, and writes all of it when there is room",
    .enabled(if: isTestable, "unshare cannot mount here"))
  func record() throws {
    let profile = """
      {"name": "Counter", "services": [{"uuid": "FFF0", "characteristics": [
        {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.02, "values": [{"utf8": "{n}"}]}}]}]}
      """
    try place.serve(try place.file("counter.json", profile), device: "Counter")
    // A job in the background has no SIGINT. Its file is copied from the disk before that is gone.
    let record = try onDisk(
      "2m",
      """
      "$BLE_TOOL" record Counter "$DISK/seen.sqlite" --subscribe FFF1 --commit-every 0.2 --json &
      echo $! > '\(place.path("number"))'
      wait $! || status=$?
      cp "$DISK"/seen.sqlite* '\(place.path("run"))'
      exit $status
      """)
    try record.event("committed") { $0["values"] as? Int ?? 0 > 10 }
    let text = try String(contentsOfFile: place.path("number"), encoding: .utf8)
    let number = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let filler = "/proc/\(number)/root\(disk)/filler"
    let octets = [UInt8](repeating: 0, count: 4_096)
    let file = try #require(fopen(filler, "w"))
    while fwrite(octets, 1, octets.count, file) == octets.count, fflush(file) == 0 {}
    fclose(file)
    try until("it says that the disk is full") { record.errors.contains { $0.contains("there is no room") } }
    let before = record.committedValues
    #expect(kill(number, 0) == 0)
    try #require(unlink(filler) == 0)
    try record.event("committed") { $0["values"] as? Int ?? 0 > before + 50 }
    kill(number, SIGTERM)
    #expect(try record.finish().status == 143, "\(record.transcript)")
    let reader = try StoreReader(file: URL(fileURLWithPath: place.path("run/seen.sqlite")))
    let numbers = try reader.values().all().compactMap { Int(String(decoding: $0.octets, as: UTF8.self)) }
    let first = try #require(numbers.first)
    #expect(numbers.count > before + 50 && numbers == Array(first..<(first + numbers.count)), "\(numbers)")
    #expect(try reader.damages() == [])
  }

  @Test(
    "I15.1 an explorer without room for its certificate says so and does not start; one that needs none works on a full disk",
    .enabled(if: isTestable, "unshare cannot mount here"))
  func web() throws {
    // In a network of its own, where no other machine is.
    let run = try onDisk(
      "64k", network: false,
      """
      export XDG_STATE_HOME="$DISK" PIPE='\(place.path("pipe"))'
      dd if=/dev/zero of="$DISK/filler" bs=4k 2>/dev/null || true
      status=0
      "$BLE_TOOL" web --demo --address 0.0.0.0 --port 0 || status=$?
      find "$DISK" -name '*.new' -o -name '*.pem'
      mkfifo "$PIPE"
      serve() {
        "$BLE_TOOL" web --demo --port 0 --json "$@" > "$PIPE" &
        read -r line < "$PIPE"
        echo "$line"
        kill -TERM $!
        wait $! || true
      }
      serve
      rm "$DISK/filler"
      serve --address 0.0.0.0
      exit $status
      """)
    let (status, lines) = try run.finish()
    #expect(status == 69, "\(run.transcript)")
    #expect(
      run.errors.contains { $0.contains("There is no certificate") && $0.contains("No space left") },
      "\(run.transcript)")
    // Nothing is left of the attempt; then the one that needs none, and the one that has room.
    let addresses = lines.compactMap { ToolProcess.object($0)?["address"] as? String }
    #expect(lines.count == 2 && addresses.count == 2, "\(run.transcript)")
    #expect(addresses.first?.hasPrefix("http://127.0.0.1:") == true && addresses.last?.hasPrefix("https://") == true)
  }
}

extension ToolProcess {
  /// Of the last transaction that was told.
  fileprivate var committedValues: Int {
    transcript.split(separator: "\n").compactMap { Self.object(String($0)) }
      .filter { $0["event"] as? String == "committed" }.compactMap { $0["values"] as? Int }.last ?? 0
  }
}
