import BLEAdapter
import BLECore
import Testing

@testable import BLEDefaultStack

extension Surroundings {
  fileprivate var adapterName: Result<AdapterName, NamingMistake> { AdapterChoice(in: self).name }
}

@Suite struct ConfigurationTests {
  private func surroundings(_ environment: [String: String], _ files: [String: String] = [:]) -> Surroundings {
    .made(environment, files: files)
  }

  private func mistake(_ text: String) -> String? {
    do throws(ConfigurationFile.Mistake) {
      _ = try ConfigurationFile(Array(text.utf8), path: "config.json")
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("the environment takes precedence over the file, and the file over the embedded radio")
  func theEnvironmentComesBeforeTheFileAndTheFileBeforeTheEmbeddedRadio() throws {
    let file = [configurationPath: #"{ "adapter": "tcp-client:localhost:9000" }"#]
    #expect(try surroundings(["HOME": "/home/me"]).adapterName.get() == .standard)
    #expect(
      try surroundings(["HOME": "/home/me"], file).adapterName.get() == .tcpClient(host: "localhost", port: 9000))
    #expect(
      try surroundings(["HOME": "/home/me", "BLE_ADAPTER": "radio:lab"], file).adapterName.get()
        == .radio(air: "lab", device: nil))
    let elsewhere = surroundings(["HOME": "/home/me", "XDG_CONFIG_HOME": "/etc/xdg", "XDG_STATE_HOME": "relative"])
    #expect(elsewhere.configurationPath == "/etc/xdg/swift-corebluetooth/config.json")
    #expect(elsewhere.stateFolder == "/home/me/.local/state/swift-corebluetooth")
  }

  @Test("I11.7 without HOME the home is the one of the password database, and never a shared folder")
  func home() {
    var surroundings = surroundings([:])
    surroundings.accountHome = "/home/me"
    #expect(surroundings.stateFolder == "/home/me/.local/state/swift-corebluetooth")
    #expect(surroundings.configurationPath == "/home/me/.config/swift-corebluetooth/config.json")
    surroundings.accountHome = nil
    #expect(surroundings.stateFolder == "/.local/state/swift-corebluetooth")
    surroundings.environment = { ["HOME": "relative"][$0] }
    #expect(surroundings.stateFolder == "/.local/state/swift-corebluetooth")
    #expect(Surroundings.ofThisProcess.accountHome?.hasPrefix("/") != false)
  }

  @Test("a wrong name is an error with its place and its reason")
  func aWrongNameSaysWhereItStandsAndWhatIsWrong() {
    guard case .failure(let mistake) = surroundings(["BLE_ADAPTER": "tpc-client:x"]).adapterName else {
      Issue.record("it was taken")
      return
    }
    #expect(mistake.description.hasPrefix("BLE_ADAPTER: "))
    #expect(mistake.description.contains("tpc-client"))
  }

  @Test("I11.35 devices are searched on LE 1M unless the environment says otherwise")
  func searchPHYs() throws {
    #expect(try surroundings([:]).searchPHYs.get() == .le1M)
    #expect(try surroundings(["BLE_PHY": "coded"]).searchPHYs.get() == .leCoded)
    #expect(try surroundings(["BLE_PHY": "Both"]).searchPHYs.get() == .both)
    guard case .failure(let mistake) = surroundings(["BLE_PHY": "2m"]).searchPHYs else {
      Issue.record("it was taken")
      return
    }
    #expect(mistake.description == "BLE_PHY: '2m' is not one of 1m, coded, both")
  }

  @Test("errors in the file name the line")
  func mistakesInTheFileNameTheLine() {
    #expect(mistake("{}") == nil)
    #expect(mistake("{\n  \"adapter\": \"radio\"\n}\n") == nil)
    #expect(mistake("") == "config.json:1: expected '{', but the file ends")
    #expect(mistake("{\n  \"adaptor\": \"radio\"\n}")?.hasPrefix("config.json:2: 'adaptor' is not a setting") == true)
    #expect(mistake("{\n\n  \"adapter\" \"radio\"\n}") == "config.json:3: expected ':', found '\"'")
    #expect(
      mistake("{\n  \"adapter\": 7\n}") == "config.json:2: expected a text in double quotes for 'adapter', found '7'")
    #expect(mistake("{ \"adapter\": \"radio\n\" }")?.hasPrefix("config.json:1: a text must end") == true)
    #expect(
      mistake("{ \"adapter\": \"radio\", \"adapter\": \"radio\" }") == "config.json:1: duplicate setting 'adapter'")
    #expect(mistake("{ \"adapter\": \"radio\" } x") == "config.json:1: nothing may follow the closing brace")
    #expect(mistake("{ \"adapter\": \"rad") == "config.json:1: a text is not closed")
  }

  @Test("random octets are no configuration and do not crash")
  func randomOctetsAreNoConfigurationAndNoCrash() {
    let entropy = SeededEntropy(seed: 7)
    for length in 0..<300 {
      let octets = Array("{\"adapter\":\"".utf8.prefix(length % 13)) + entropy.octets(length % 40)
      _ = try? ConfigurationFile(octets, path: "random")
    }
  }

  @Test("the log level is one of the known ones")
  func theLogLevelIsOneOfTheKnownOnes() throws {
    #expect(try surroundings([:]).logLevel.get() == .notice)
    #expect(try surroundings(["BLE_LOG": "TRACE"]).logLevel.get() == .trace)
    guard case .failure = surroundings(["BLE_LOG": "loud"]).logLevel else {
      Issue.record("it was taken")
      return
    }
  }
}
