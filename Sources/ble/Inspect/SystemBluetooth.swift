import BLEDefaultStack

/// What a machine has of Bluetooth of its own: kernel, adapters, daemon, bus, and what this program may do with it. Looked at once.
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

  /// Whether anything of the system's Bluetooth is there to speak of.
  var isPresent: Bool {
    !adapters.isEmpty || daemon.isInstalled || !kernel.unclaimed.isEmpty || !kernel.drivers.isEmpty
  }

  /// Whether this program may take an adapter by the user channel.
  var mayTakeAdapters: Bool { capabilities?.has(.networkAdministration) ?? false }
}
