public import BLEAdapter
public import BLECore
import BLEHCI
public import BLEHost
import Synchronization

/// The stacks of a program that did not bring its own adapter: one for each adapter and process, made when it is first
/// wanted and kept until the process ends.
///
/// Which adapter is told by `BLE_ADAPTER` in the environment, else by the configuration file
/// (`$XDG_CONFIG_HOME/swift-corebluetooth/config.json`, `{"adapter": "..."}`), else it is the embedded radio's default air.
/// `BLE_RADIO_SPEED` lets the time of the embedded radio pass so many times faster than the clock, for simulations.
/// `BLE_LOG` is the level of the log on standard error (`notice` where it is not set). `BLE_CAPTURE` is the path of a file that
/// takes all traffic between host and controller of the first adapter: pcapng where it ends with `.pcapng`, else btsnoop;
/// ``RecordingPaths`` names the variables that go with it.
///
/// When the process ends by returning from `main`, by `exit`, or by a SIGTERM, SIGINT or SIGHUP that it does not handle
/// itself, links are closed so that the peers notice at once. A program's own handlers are never replaced, and what a signal
/// does by default it still does afterwards.
public enum DefaultStack {
  private struct Shared {
    var stacks: [AdapterName: any OwnedAdapter] = [:]
    /// What a wrong name led to: an adapter that is `unsupported`.
    var misnamed: (any OwnedAdapter)?
  }

  private static let shared = Mutex(Shared())
  private static let surroundings = Surroundings.ofThisProcess
  /// Where the stacks of this process write: standard error, at the level that `BLE_LOG` names.
  public static let log = makeLog()

  /// Where the state of all adapters of this user is kept. Nothing is made by asking.
  public static var stateFolder: String { surroundings.stateFolder }
  /// The folder with the bonds of all adapters of this user.
  public static var bondFolder: BondFolder { surroundings.bondFolder }

  /// The adapter of this process, as environment and configuration file name it. With a mistake in the name, which is told on
  /// standard error once, it is one whose state is `unsupported`.
  public static var adapter: any Adapter {
    switch surroundings.adapterName() {
    case .success(let name): stack(named: name)
    case .failure(let mistake): misnamed(mistake)
    }
  }

  /// The stack on the adapter of that name.
  public static func stack(named name: AdapterName) -> any OwnedAdapter {
    shared.withLock { shared in
      if let stack = shared.stacks[name] { return stack }
      // A capture is of one adapter: the first.
      let paths = shared.stacks.isEmpty ? RecordingPaths(environment: surroundings.environment) : RecordingPaths()
      let made = StackMaker(surroundings: surroundings, log: log).make(name, recording: paths)
      shared.stacks[name] = made.stack
      ProcessEnd.watch(made)
      made.stack.start()
      return made.stack
    }
  }

  private static func misnamed(_ mistake: NamingMistake) -> any OwnedAdapter {
    shared.withLock { shared in
      if let stack = shared.misnamed { return stack }
      let stack = StackMaker(surroundings: surroundings, log: log).unsupported(mistake.description)
      shared.misnamed = stack
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
