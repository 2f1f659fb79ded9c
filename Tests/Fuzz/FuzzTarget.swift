import Glibc
import HostileInput
import ScaledOracle

/// What a run tries to break.
enum FuzzTarget {
    /// The scaled decoders, which must agree with libjpeg-turbo and with themselves.
    case scaled
    case input(HostileInput)

    static let names = ["scaled"] + HostileInput.allCases.map(\.rawValue)

    /// Named by FUZZ_TARGET; nil when that names none.
    static let chosen: FuzzTarget? = {
        guard let name = unsafe getenv("FUZZ_TARGET").map({ unsafe String(cString: $0) }) else { return nil }
        return name == "scaled" ? .scaled : HostileInput(rawValue: name).map { .input($0) }
    }()

    /// A larger frame takes time, and has nothing that a smaller has not.
    private static let mostPixels = 2 << 20

    /// Whether inputs are files that mostly stay JPEGs when they are changed piece by piece.
    var isPicture: Bool {
        switch self {
        case .scaled, .input(.header), .input(.decode), .input(.metadata): true
        case .input(.job), .input(.options): false
        }
    }

    /// Ends the process where something does not hold.
    func test(_ bytes: [UInt8]) {
        do {
            switch self {
            case .input(let input): try input.check(bytes)
            case .scaled:
                guard try ScaledOracle.check(bytes, mostPixels: Self.mostPixels) != nil else { return }
                if let difference = LaneComparison.difference(bytes) {
                    fatalError("with and without lanes: \(difference)")
                }
            }
        } catch {
            fatalError("\(error)")
        }
    }
}
