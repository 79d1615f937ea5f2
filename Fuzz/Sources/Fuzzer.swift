extension Fuzzer {
  static let all: [Fuzzer] = [
    .advertisingData, .air, .attributeProtocol, .attributeServer, .bonds, .btsnoop, .captureFile, .chat, .clone,
    .controller, .deviceFile, .dissector, .faults, .frames, .gatewayCommand, .gatewayConfiguration,
    .gatewayHistory, .gatewayKeys, .gatewayLease, .gatewayMaker, .gatewaySensor, .gatewayXiaomi, .gattClient, .h4,
    .hciCommand, .hciEvent, .host, .l2cap, .l2capChannels,
    .layout, .linkLayer, .log, .pcapng, .peers, .preservedState, .profile, .record, .registry, .securityManager,
    .texts, .timeline,
  ]
}

/// The fuzzers of parsers and of single machines.
@main
struct ParserFuzzers {
  static func main() { FuzzTool.main(Fuzzer.all) }
}
