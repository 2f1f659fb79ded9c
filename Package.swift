// swift-tools-version: 6.2
import PackageDescription

// Every target is held to the same rules; none lives only in a reviewer's head.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Pixel loops are unusable without the optimiser: tests over real photographs
/// would take minutes in a debug build, so these modules are optimised in both.
let optimised: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// One folder of the shelf `Sources/Shared` = one module = one sentence in ARCHITECTURE.md.
func shelf(
    _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = strict,
    resources: [Resource]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Shared/\(name)",
        resources: resources, swiftSettings: settings)
}

/// A module map (and, where one is needed, a shim) over one C library.
/// `pkgConfig:` is left out: Debian's hiredis.pc makes it warn on every build.
func systemLibrary(_ name: String, debian package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/Shared/C/\(name)", providers: [.apt([package])])
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = strict
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)",
        swiftSettings: settings)
}

let package = Package(
    name: "thumbnail-fleet",
    products: [
        .executable(name: "worker", targets: ["Worker"]),
        .executable(name: "enqueue", targets: ["Enqueue"]),
        .executable(name: "fleet", targets: ["Fleet"]),
        // For tests only: preloaded into programs.
        .library(name: "Interposer", type: .dynamic, targets: ["Interposer"]),
        .library(name: "AllocationCounter", type: .dynamic, targets: ["AllocationCounter"]),
    ],
    targets: [
        // C libraries: each has one Swift importer; CLinux, our own, several.
        systemLibrary("CHiredis", debian: "libhiredis-dev"),
        systemLibrary("CTurboJPEG", debian: "libturbojpeg0-dev"),
        .target(
            name: "CLibJPEG", path: "Sources/Shared/C/CLibJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(
            name: "CExif", path: "Sources/Shared/C/CExif", linkerSettings: [.linkedLibrary("exif")]),
        .target(
            name: "COpenSSL", path: "Sources/Shared/C/COpenSSL",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CLinux", path: "Sources/Shared/C/CLinux"),
        .target(
            name: "CMicroHTTPD", path: "Sources/Shared/C/CMicroHTTPD",
            linkerSettings: [.linkedLibrary("microhttpd")]),

        // Pictures: pure, no queue, no Redis.
        shelf("Units", ["CLinux"]),
        shelf("Geometry"),
        shelf("Buffers", settings: optimised),
        shelf("PictureFormats"),
        // Lifetimes: a plane hands out its rows as spans, and the compiler sees that they do not outlive it.
        shelf(
            "Pixels", ["Geometry", "Buffers"], settings: optimised + [.enableExperimentalFeature("Lifetimes")]
        ),
        shelf("Exif", ["Geometry", "CExif"]),
        // Tests see each access of its loops that nothing checks in what ships.
        shelf(
            "ScaledJPEG", ["Geometry", "Buffers"],
            settings: optimised + [.define("CHECKED", .when(configuration: .debug))]),
        shelf("JPEG", ["Geometry", "Buffers", "CLibJPEG", "CTurboJPEG"], settings: optimised),
        shelf(
            "Thumbnails", ["Units", "Geometry", "PictureFormats", "Pixels", "Exif", "JPEG", "ScaledJPEG"],
            settings: optimised),

        // Queue: no pictures.
        shelf("TLS", ["COpenSSL"]),
        shelf("Redis", ["Threading", "TLS", "CHiredis"]),
        shelf("JobQueue", ["Failpoints", "Redis"], resources: [.embedInCode("Scripts")]),

        // The process and its edges.
        // Debug builds can be made to fail at any step; in release builds a failpoint is nothing at all.
        shelf("Failpoints", settings: strict + [.define("FAILPOINTS", .when(configuration: .debug))]),
        shelf("Threading", ["CLinux"]),
        shelf("MemoryBudget", ["Units", "CLinux"]),
        shelf("Files", ["Buffers", "Failpoints", "Units", "CLinux"]),
        shelf("Sandbox", ["CLinux"]),
        shelf("EventLog", ["Units"]),
        shelf("Metrics"),
        shelf("HTTP"),
        // Apart, so that only the worker is linked with the library and all that it brings.
        shelf("HTTPServer", ["HTTP", "CMicroHTTPD"]),
        shelf("ServiceManager"),
        shelf("CommandLineOptions", ["Units"]),
        shelf(
            "ProgramOptions",
            [
                "CommandLineOptions", "EventLog", "HTTP", "JobQueue", "Redis", "Threading", "TLS", "Units",
            ]),

        // Programs.
        .executableTarget(
            name: "Worker",
            dependencies: [
                "Units", "Geometry", "PictureFormats", "Exif", "Thumbnails", "Redis", "JobQueue", "Threading",
                "Buffers", "MemoryBudget", "Failpoints", "Files", "EventLog", "CommandLineOptions",
                "ProgramOptions", "Sandbox", "Metrics", "HTTP", "HTTPServer", "ServiceManager",
            ], swiftSettings: strict),
        .executableTarget(
            name: "Enqueue",
            dependencies: [
                "Units", "Geometry", "PictureFormats", "Redis", "JobQueue", "Threading", "Files",
                "EventLog", "CommandLineOptions", "ProgramOptions",
            ], swiftSettings: strict),

        .executableTarget(
            name: "Fleet",
            dependencies: [
                "Units", "Redis", "JobQueue", "Threading", "CommandLineOptions", "ProgramOptions", "HTTP",
            ], swiftSettings: strict),

        .target(name: "Interposer", path: "Tests/Interposer"),
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
        // For tests only: starts programs where the kernel seems to have no Landlock.
        .executableTarget(name: "OldKernel", path: "Tests/OldKernel"),

        // Tests: one target a module, then the programs as a whole.
        .target(
            name: "TestSupport", dependencies: ["Redis", "Threading", "CLinux"], path: "Tests/Support",
            exclude: ["slow_files.py"], swiftSettings: strict),
        tests("UnitsTests", ["Units"]),
        tests("GeometryTests", ["Geometry"]),
        tests("BuffersTests", ["Buffers"]),
        tests("PictureFormatsTests", ["PictureFormats"]),
        tests("PixelsTests", ["Pixels", "Buffers", "Geometry"]),
        tests("ExifTests", ["Exif", "Geometry"]),
        tests("JPEGTests", ["JPEG", "Geometry", "Pixels"]),
        // Optimised: its plain decoders go over whole photographs.
        tests("ScaledJPEGTests", ["ScaledJPEG", "JPEG", "Geometry", "ScaledOracle"], settings: optimised),
        // What the decoders must agree on, for tests and for `make fuzz`.
        .target(
            name: "ScaledOracle", dependencies: ["Geometry", "JPEG", "ScaledJPEG"],
            path: "Tests/ScaledOracle", swiftSettings: optimised),
        // What holds for any bytes whatever, where bytes of strangers come in: for tests and for `make fuzz`.
        .target(
            name: "HostileInput",
            dependencies: [
                "CommandLineOptions", "Exif", "Geometry", "JPEG", "JobQueue", "Redis", "Thumbnails", "Units",
            ], path: "Tests/HostileInput", swiftSettings: optimised),
        tests("HostileInputTests", ["HostileInput"]),
        tests(
            "ThumbnailsTests",
            ["Thumbnails", "Exif", "Geometry", "JPEG", "Pixels", "Threading", "Units", "RenderProbe"]),
        // Measures one picture's memory in a process of its own, where no other test allocates.
        .executableTarget(
            name: "RenderProbe",
            dependencies: ["Geometry", "MemoryBudget", "TestSupport", "Thumbnails", "Units"],
            path: "Tests/RenderProbe", swiftSettings: strict),
        tests("RedisTests", ["Redis", "TLS", "Threading"]),
        tests("JobQueueTests", ["JobQueue", "QueueModel", "Redis"]),
        // The queue's promises as a pure value, for random sequences of moves.
        .target(name: "QueueModel", path: "Tests/QueueModel", swiftSettings: strict),
        tests("ThreadingTests", ["Threading"]),
        tests("MemoryBudgetTests", ["MemoryBudget", "Units"]),
        tests("FilesTests", ["Files", "Units"]),
        tests("SandboxTests", ["Sandbox", "FenceProbe"]),
        // Raises the fence around itself and tries what is forbidden: a test program cannot take it down again.
        .executableTarget(
            name: "FenceProbe", dependencies: ["Sandbox", "Threading"], path: "Tests/FenceProbe",
            swiftSettings: strict),
        tests("EventLogTests", ["EventLog", "Units"]),
        tests("MetricsTests", ["Metrics"]),
        tests("HTTPTests", ["HTTP", "HTTPServer"]),
        tests("ServiceManagerTests", ["ServiceManager"]),
        tests("CommandLineOptionsTests", ["CommandLineOptions", "Units"]),
        // The programs as they are shipped, with a Redis and folders of their own.
        .target(
            name: "FleetSupport", dependencies: ["JobQueue", "Redis", "TestSupport", "Threading"],
            path: "Tests/FleetSupport", swiftSettings: strict),
        tests(
            "EndToEndTests",
            [
                "FleetSupport", "HTTP", "JobQueue", "OldKernel", "Redis", "ServiceManager", "Threading",
                "Worker",
                "Enqueue", "Fleet",
            ]),
        tests("FaultTests", ["Failpoints", "FleetSupport", "JobQueue", "Redis", "Worker", "Enqueue"]),
        // Breaks a whole fleet in a seeded order; `make chaos` runs it for long, its test for a short time.
        .executableTarget(
            name: "Chaos",
            dependencies: [
                "CommandLineOptions", "JobQueue", "ProgramOptions", "Redis", "TestSupport", "Threading",
                "Units",
            ], path: "Tests/Chaos", exclude: ["producer.py"], swiftSettings: strict),
        tests("ChaosTests", ["Chaos", "Worker"]),
        // Our side of the benchmarks; `make bench` runs it in turns with its peers.
        .executableTarget(
            name: "Bench",
            dependencies: [
                "Buffers", "Files", "Geometry", "MemoryBudget", "ScaledJPEG", "Thumbnails", "Units",
            ], path: "Benchmarks/Bench", swiftSettings: strict),
        // `make simulate`: hundreds of workers without pictures, to see what they cost one Redis.
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "CommandLineOptions", "JobQueue", "ProgramOptions", "Redis", "TestSupport", "Threading",
            ],
            path: "Benchmarks/Simulation", swiftSettings: strict),
        tests("WorkerTests", ["Worker", "JobQueue", "Metrics", "Redis", "Units"]),
        tests(
            "FleetTests",
            ["Fleet", "CommandLineOptions", "JobQueue", "ProgramOptions", "Redis", "Threading", "Units"]),
        tests(
            "EnqueueTests",
            [
                "Enqueue", "CommandLineOptions", "Files", "Geometry", "JobQueue", "PictureFormats",
                "ProgramOptions", "Redis", "Threading",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `make fuzz` alone: counting what the decoder runs through would slow every other build.
if Context.environment["THUMBNAIL_FUZZ"] != nil {
    let watched: [SwiftSetting] = [
        .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"]), .define("SHORT_STRETCHES"),
        .define("CHECKED"),
    ]
    let entrances = [
        "ScaledJPEG", "JPEG", "Exif", "PictureFormats", "Thumbnails", "JobQueue", "CommandLineOptions",
        "Units",
    ]
    for target in package.targets where entrances.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + watched
    }
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzz/C"),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["CLibFuzzer", "HostileInput", "ScaledJPEG", "ScaledOracle", "TestSupport"],
            path: "Tests/Fuzz",
            exclude: ["C", "seeds"], swiftSettings: strict,
            // The default linker does not survive what the fuzzer adds to the debugging information.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ]
}
