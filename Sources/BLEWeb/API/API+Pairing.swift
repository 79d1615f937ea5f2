import BLEReports

extension API {
  static let pairingRoutes: [Route] = [
    Route(.get, "/api/v1/pairings", "The questions of pairings that are open") {
      (explorer, _) async throws(APIError) in .json(explorer.dialogue.questions)
    },
    Route(
      .post, "/api/v1/pairings/{number}", "Answers a question of a pairing: consent, comparison, or the passkey",
      body: [
        BodyMember("accept", .flag, "whether to pair"),
        BodyMember(
          "passkey", .text(longest: 6), isRequired: false, isSecret: true, "the six digits that the other device shows"),
      ]
    ) { (explorer, call) async throws(APIError) in
      guard let number = call.segments["number"].flatMap({ Int($0) }) else {
        throw APIError(.invalid, "the number of a question is needed")
      }
      try explorer.dialogue.answer(number, accepts: call.flag("accept") ?? false, passkey: call.text("passkey"))
      return .json(explorer.dialogue.questions)
    },
    Route(.get, "/api/v1/bonds", "The devices with which the adapter has paired") {
      (explorer, _) async throws(APIError) in .json(try await explorer.bonds())
    },
    Route(.delete, "/api/v1/bonds/{address}", "Removes the keys of a device; a link to it ends") {
      (explorer, call) async throws(APIError) in
      try await explorer.removeBond(with: call.segments["address"] ?? "")
      return .json(try await explorer.bonds())
    },
  ]
}

extension Explorer {
  func bonds() async throws(APIError) -> JSONValue {
    do throws(BondControlError) {
      return ["bonds": .array(try await surroundings.bonds?.bonds().map(\.json) ?? [])]
    } catch {
      throw APIError(.unavailable, error.message)
    }
  }

  func removeBond(with address: String) async throws(APIError) {
    let isFound: Bool
    do throws(BondControlError) {
      isFound = try await surroundings.bonds?.remove(address) ?? false
    } catch {
      throw APIError(.unavailable, error.message)
    }
    if !isFound { throw APIError(.notFound, "there are no keys of this device") }
  }
}
