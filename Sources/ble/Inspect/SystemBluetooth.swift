import BLEDefaultStack

/// The machine's own Bluetooth: kernel, adapters, daemon, bus and this program's capabilities. Read once.
struct SystemBluetooth: Equatable, Sendable {
  let kernel: KernelBluetooth
  let daemon: BluetoothDaemon
  let adapters: [SystemAdapter]
  let bus: SystemBus
  let capabilities: ProcessCapabilities?
  let container: Container?

  init(on machine: Machine) {
    kernel = KernelBluetooth(on: machine)
    daemon = BluetoothDaemon(on: machine)
    adapters = SystemAdapter.all(on: machine, daemon)
    bus = SystemBus(on: machine)
    capabilities = ProcessCapabilities(in: machine.system)
    container = Container(on: machine)
  }

  /// Whether the machine has any Bluetooth support worth reporting.
  var isPresent: Bool {
    !adapters.isEmpty || daemon.isInstalled || !kernel.unclaimed.isEmpty || !kernel.drivers.isEmpty
  }

  /// Whether this program may take an adapter by the user channel.
  var mayTakeAdapters: Bool { capabilities?.has(.networkAdministration) ?? false }
}
