extension Tool {
  /// All commands, for parsing, help, completion and the manual.
  static let tree = CommandNode(
    group: "ble",
    abstract: "Bluetooth Low Energy from the command line, with no hardware needed.",
    discussion: """
      Finds devices, shows what they offer, reads, writes and subscribes, and is a device itself. Where no adapter is \
      named it uses this machine's own if it may, else the embedded radio, where all programs of this machine hear each \
      other.

      A <target> is the name that a device advertises, the identifier under which this machine knows it, or its address. \
      A <characteristic> is a UUID (2A19), the UUIDs of service and characteristic (180F/2A19) or an assigned name \
      ("Battery Level").

      'ble demo' shows all of it in a few seconds.
      """,
    subcommands: [
      DemoCommand.node, ScanCommand.node, ExploreCommand.node, ReadCommand.node, WriteCommand.node,
      SubscribeCommand.node, ConnectCommand.node, WatchCommand.node, RSSICommand.node, RecordCommand.node,
      HistoryCommand.node, ServeCommand.node, ChatCommand.node, DeviceFileCommand.node, L2CAPCommand.group,
      ControllerCommand.node, CloneCommand.node, WebCommand.node, GatewayCommand.node, PairCommand.node,
      BondsRemoveCommand.unpairNode,
      BondsCommand.group,
      CaptureShowCommand.group, AdaptersCommand.node, DoctorCommand.node, CompletionCommand.node, ManCommand.node,
    ])
}
