import BLECore
import BLECrypto
import BLEHost
import BLEWire
import Testing

private let capabilities: [SMPIOCapability] = [
  .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
]

/// Table 2.8 of Vol 3 Part H 2.3.5.1: a row for each responder, a column for each initiator, in the order above.
/// J: Just Works; I, R: passkey shown by the initiator, the responder; B: typed on both; N: Numeric Comparison.
private let legacyTable = ["JJRJR", "JJRJR", "IIBJI", "JJJJJ", "IIRJI"]
private let secureTable = ["JJRJR", "JNRJN", "IIBJI", "JJJJJ", "INRJN"]

private func model(_ letter: Character) -> AssociationModel {
  switch letter {
  case "I": .passkeyEntry(.initiatorDisplays)
  case "R": .passkeyEntry(.responderDisplays)
  case "B": .passkeyEntry(.bothInput)
  case "N": .numericComparison
  default: .justWorks
  }
}

private func features(_ capability: SMPIOCapability, mitm: Bool, hasData: Bool) -> SMPPairingFeatures {
  SMPPairingFeatures(
    ioCapability: capability, oobDataFlag: hasData ? 1 : 0,
    authenticationRequirements: mitm ? [.bonding, .mitm] : .bonding, initiatorKeyDistribution: [],
    responderKeyDistribution: [])
}

@Suite struct AssociationModelTests {
  @Test("every combination of features gives the model of the specification's table")
  func everyCombinationOfFeaturesGivesTheModelOfTheSpecifications() {
    var count = 0
    for isSecure in [false, true] {
      for (column, initiator) in capabilities.enumerated() {
        for (row, responder) in capabilities.enumerated() {
          let letters = Array((isSecure ? secureTable : legacyTable)[row])
          for bits in 0..<16 {
            let (mitms, data) = ((bits & 1 != 0, bits & 2 != 0), (bits & 4 != 0, bits & 8 != 0))
            let got = AssociationModel.chosen(
              initiator: features(initiator, mitm: mitms.0, hasData: data.0),
              responder: features(responder, mitm: mitms.1, hasData: data.1), isSecureConnections: isSecure)
            let wanted: AssociationModel =
              if isSecure ? data.0 || data.1 : data.0 && data.1 {
                .outOfBand
              } else if mitms.0 || mitms.1 {
                model(letters[column])
              } else {
                .justWorks
              }
            #expect(got == wanted, "\(initiator) \(responder) secure \(isSecure) bits \(bits)")
            count += 1
          }
        }
      }
    }
    #expect(count == 800)
  }

  @Test("every combination of features, played by two machines, ends with the table's method and equal keys")
  func everyCombinationOfFeatures() {
    var count = 0
    for isSecure in [false, true] {
      for (column, initiator) in capabilities.enumerated() {
        for (row, responder) in capabilities.enumerated() {
          for data in 0..<4 {
            let (centralHas, peripheralHas) = (data & 1 != 0, data & 2 != 0)
            let pair = makePair(initiator, responder, isSecure, centralHas, peripheralHas)
            pair.play()
            let letters = Array((isSecure ? secureTable : legacyTable)[row])
            let isOutOfBand = isSecure ? centralHas || peripheralHas : centralHas && peripheralHas
            let wanted = isOutOfBand ? PairingMethod.outOfBand : model(letters[column]).method
            let note = "\(initiator) \(responder) secure \(isSecure) data \(data)"
            for side in [pair.central, pair.peripheral] {
              #expect(side.result?.security.method == wanted, "\(note)")
              #expect(side.result?.security.isSecureConnections == isSecure, "\(note)")
              #expect(side.result?.security.isAuthenticated == (wanted != .justWorks), "\(note)")
              #expect(side.questions.allSatisfy { $0.method == wanted }, "\(note)")
            }
            #expect(pair.central.result?.keyAsCentral == pair.peripheral.result?.keyAsPeripheral, "\(note)")
            #expect(pair.central.result?.keyAsCentral != nil, "\(note)")
            if wanted == .numericComparison { #expect(pair.central.compared == pair.peripheral.compared, "\(note)") }
            count += 1
          }
        }
      }
    }
    #expect(count == 200)
  }

  private func makePair(
    _ initiator: SMPIOCapability, _ responder: SMPIOCapability, _ isSecure: Bool, _ centralHas: Bool,
    _ peripheralHas: Bool
  ) -> PairingPair {
    var (centralData, peripheralData) = (OutOfBandExchange(), OutOfBandExchange())
    let entropy = SeededEntropy(seed: 0x5EED_00B0)
    if isSecure {
      func data() -> LocalOutOfBandData {
        LocalOutOfBandData(
          keyPair: .random(entropy), random: AESBlock(high: entropy.next(), low: entropy.next()))
      }
      if centralHas {
        let given = data()
        peripheralData.local = given
        centralData.peer = given.data
      }
      if peripheralHas {
        let given = data()
        centralData.local = given
        peripheralData.peer = given.data
      }
    } else {
      let key = SecretKey.random(entropy)
      if centralHas { centralData.temporaryKey = key }
      if peripheralHas { peripheralData.temporaryKey = key }
    }
    return PairingPair(
      central: .test(initiator, secure: isSecure), peripheral: .test(responder, secure: isSecure),
      centralData: centralData, peripheralData: peripheralData)
  }
}
