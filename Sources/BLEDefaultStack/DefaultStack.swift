public import BLEAdapter
public import BLECore
import BLEHost
import BLEState
import Synchronization

/// The stacks of a program without an adapter of its own: one for each adapter and process, made when it is first needed and kept
/// until the process ends.
///
/// The adapter is the first that is named: by the program (``name(_:)``), by `BLE_ADAPTER` in the environment, by the
/// configuration file (`$XDG_CONFIG_HOME/swift-corebluetooth/config.json`, `{"adapter": "..."}`). If none is, it is the machine's
/// own adapter, if it has one that this user may use without further configuration, else the embedded radio's default air.
/// ``AdapterChoice`` decides, once. `BLE_RADIO_SPEED` makes the time of the embedded radio pass faster than the clock by that
/// factor, for simulations. `BLE_LOG` is the level of the log on standard error (`notice` by default). `BLE_CAPTURE` is the path
/// of a file for all traffic between host and controller of the first adapter: pcapng if it ends with `.pcapng`, else btsnoop;
/// ``RecordingPaths`` has the related variables. `BLE_RULES` names the rules of Apple's systems by which the program is judged: `iOS18`.
///
/// When the process ends by returning from `main`, by `exit`, or by a SIGTERM, SIGINT or SIGHUP that it does not handle itself,
/// links are closed so that the peers notice at once. A program's own handlers are never replaced, and a signal's default action
/// follows.
public enum DefaultStack {
  private struct Shared {
    var stacks: [AdapterName: any OwnedAdapter] = [:]
    /// The adapters for invalid names, with the state `unsupported`.
    var misnamed: [NamingMistake: any OwnedAdapter] = [:]
    var keepsPackets = false
    var recentPackets: RecentPackets?
  }

  private struct Choosing {
    var option: AdapterName?
    var choice: AdapterChoice?
    var hears: (@Sendable (AdapterChoice) -> Void)?
    var isInWorld = false
  }

  /// An object, made when the program runs. A static mutex with this structure begins as zeros where Swift 6.3 optimizes, which is not
  /// what it says: the zeros read as a choice that was made.
  private final class ChoosingState: Sendable {
    let mutex = Mutex(Choosing())
  }

  private static let shared = Mutex(Shared())
  private static let choosing = ChoosingState()
  private static let surroundings = Surroundings.ofThisProcess
  /// The log of the stacks of this process: standard error, at the level of `BLE_LOG`.
  public static let log = makeLog()

  /// The folder of the state of all adapters of this user. Reading this does not make it.
  public static var stateFolder: String { surroundings.stateFolder }
  /// The folder with the bonds of all adapters of this user.
  public static var bondFolder: BondFolder { surroundings.bondFolder }

  /// The address of this user's device on a controller with that name, without opening the controller. `nil` if the name alone does
  /// not determine it: the embedded radio stores addresses by device, and BlueZ's daemon uses its adapters'.
  public static func deviceAddress(on name: AdapterName) -> DeviceAddress? {
    switch name {
    case .radio, .bluez: return nil
    case .tcpClient, .tcpServer, .unixClient, .unixServer, .hci, .serial:
      let store = FilePeerStore(folder: stateFolder, entropy: SystemEntropy(), log: log.labelled("peers"))
      return PeerDirectory(store: store).randomAddress(named: name.description)
    }
  }

  /// Names the adapter of this process, with precedence over all other names. To be called before the first adapter is needed.
  public static func name(_ adapter: AdapterName) { choosing.mutex.withLock { $0.option = adapter } }

  /// Keeps the last packets of the first adapter of this process in memory (``recentPackets``). To be called before it is needed.
  public static func keepRecentPackets() { shared.withLock { $0.keepsPackets = true } }

  /// The last packets of the first adapter; `nil` if they are not kept, or if the adapter has none: those of BlueZ's pass through its daemon.
  public static var recentPackets: RecentPackets? { shared.withLock { $0.recentPackets } }

  /// Sets the handler that is called once with this process's adapter and the reason, instead of the log.
  public static func setChoiceHandler(_ handler: @escaping @Sendable (AdapterChoice) -> Void) {
    choosing.mutex.withLock { $0.hears = handler }
  }

  /// From now on this process has no adapter but those that its environment or the program names: its managers belong to the
  /// devices of a test's world.
  public static func enterWorld() { choosing.mutex.withLock { $0.isInWorld = true } }

  /// The adapter of this process. If its name is invalid, which is printed on standard error once, its state is `unsupported`.
  public static var adapter: any Adapter {
    let (choice, isInWorld) = choose()
    switch choice.source {
    case .configuration, .machine, .standard:
      if isInWorld {
        return misnamed(
          NamingMistake(
            description: "this program is tested in a world: a manager needs the `options` of one of its devices"))
      }
    case .option, .environment: break
    }
    switch choice.name {
    case .success(let name): return stack(named: name)
    case .failure(let mistake): return misnamed(mistake)
    }
  }

  /// The name of this process's adapter, as it was chosen; `nil` if the choice failed.
  public static var adapterName: AdapterName? { try? choose().0.name.get() }

  /// The name of this process's adapter if it is one of this machine's (`hci`, `bluez`): while it is `unsupported`, it may be plugged in
  /// or become free at any time. `nil` for all others.
  public static var machineAdapter: AdapterName? {
    switch choose().0.name {
    case .success(.hci(let which)): return .hci(which)
    case .success(.bluez(let which)):
      #if BlueZ
        return .bluez(which)
      #else
        return nil
      #endif
    default: return nil
    }
  }

  /// Why this process's adapter cannot be used, in words for people, where it will not become available by itself; otherwise `nil`.
  public static var failure: String? {
    guard case .success(let name) = choose().0.name else { return nil }
    return shared.withLock { $0.stacks[name] }?.failure
  }

  /// The adapter with that name; its state is `unsupported` if the name is invalid.
  public static func adapter(named text: String) -> any Adapter {
    do throws(AdapterNameError) {
      return stack(named: try AdapterName(text))
    } catch {
      return misnamed(NamingMistake(description: "\(error)"))
    }
  }

  /// The stack on the adapter with that name.
  public static func stack(named name: AdapterName) -> any OwnedAdapter {
    shared.withLock { shared in
      if let stack = shared.stacks[name] { return stack }
      // A capture is of one adapter: the first.
      let isFirst = shared.stacks.isEmpty
      let paths = isFirst ? RecordingPaths(environment: surroundings.environment) : RecordingPaths()
      let made = StackMaker(surroundings: surroundings, log: log).make(
        name, recording: paths, keepsPackets: isFirst && shared.keepsPackets)
      if isFirst { shared.recentPackets = made.recentPackets }
      shared.stacks[name] = made.stack
      ProcessEnd.watch(made)
      if !surroundings.isTest { ProgramDesk.open(log) }
      made.stack.start()
      return made.stack
    }
  }

  /// The counters of each adapter that this process uses, by the adapter's name. An adapter is in use from the time the first manager on
  /// it was made. `ble adapters --json` shows the same for all running programs of the user.
  public static func counters() async -> [AdapterName: AdapterCounters] {
    let stacks = shared.withLock { $0.stacks }
    var counters: [AdapterName: AdapterCounters] = [:]
    for (name, stack) in stacks {
      counters[name] = await withCheckedContinuation { continuation in
        stack.loop.submit(from: .common) { continuation.resume(returning: stack.counters) }
      }
    }
    return counters
  }

  /// Chooses once for all callers: the machine may have to be searched, and the result may change later.
  private static func choose() -> (AdapterChoice, isInWorld: Bool) {
    let (choice, isInWorld, handler) = choosing.mutex.withLock { choosing in
      if let choice = choosing.choice { return (choice, choosing.isInWorld, nil as ((AdapterChoice) -> Void)?) }
      var surroundings = surroundings
      surroundings.option = choosing.option
      // In a world the machine is not searched for an adapter that is not used.
      if choosing.isInWorld { surroundings.isTest = true }
      let choice = AdapterChoice(in: surroundings)
      choosing.choice = choice
      return (choice, choosing.isInWorld, choosing.hears ?? tell)
    }
    handler?(choice)
    return (choice, isInWorld)
  }

  /// Logs the adapter of a program that did not name it.
  private static func tell(_ choice: AdapterChoice) {
    guard case .success(let name) = choice.name else { return }
    log.log(choice.isRemarkable ? .notice : .info, "the adapter is \(name): \(choice.reason)")
  }

  private static func misnamed(_ mistake: NamingMistake) -> any OwnedAdapter {
    shared.withLock { shared in
      if let stack = shared.misnamed[mistake] { return stack }
      let stack = StackMaker(surroundings: surroundings, log: log).unsupported(mistake.description)
      shared.misnamed[mistake] = stack
      stack.start()
      return stack
    }
  }

  private static func makeLog() -> Logger {
    switch surroundings.logLevel {
    case .success(let level): return Logger(label: "ble", sink: StandardErrorLog(minimumLevel: level))
    case .failure(let mistake):
      let log = Logger(label: "ble", sink: StandardErrorLog(minimumLevel: .notice))
      log.log(.error, mistake.description)
      return log
    }
  }
}
