// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: nothing is switched on or off anywhere else.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The settings of every C target.
let strictC: [CSetting] = [
    .define("_GNU_SOURCE"), .enableWarning("all"), .enableWarning("extra"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "coordd",
    products: [
        .executable(name: "coordd", targets: ["coordd"]),
        .executable(name: "bench-floor", targets: ["bench-floor"]),
        .executable(name: "bench-load", targets: ["bench-load"]),
        .executable(name: "bench-micro", targets: ["bench-micro"]),
        .executable(name: "bench-store", targets: ["bench-store"]),
        .executable(name: "echo-server", targets: ["echo-server"]),
        .executable(name: "rehearse", targets: ["rehearse"]),
    ],
    targets: [
        .systemLibrary(name: "CLibUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "Security", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "TLS", dependencies: ["COpenSSL"], swiftSettings: strict),
        // The rounding of doubles is in libm, which only an import of Glibc would link by itself.
        .target(
            name: "Coordinator", dependencies: ["Security"], swiftSettings: strict,
            linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "Actors", dependencies: ["Coordinator", "Security", "TLS", "CLibUV", "CSQLite"],
            swiftSettings: strict),
        .executableTarget(
            name: "coordd", dependencies: ["Coordinator", "Actors"], swiftSettings: strict),
        .executableTarget(
            name: "bench-floor", dependencies: ["CLibUV"], path: "Benchmarks/Floor",
            cSettings: strictC),
        .executableTarget(
            name: "bench-micro", dependencies: ["Actors", "Coordinator", "Security"],
            path: "Benchmarks/Micro",
            swiftSettings: strict),
        .executableTarget(name: "bench-load", path: "Benchmarks/Load", cSettings: strictC),
        .executableTarget(
            name: "bench-store", dependencies: ["Actors", "Coordinator", "Security"],
            path: "Benchmarks/Store", swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["Coordinator", "Security", "TLS", "Actors"],
            path: "Tests/Support",
            swiftSettings: strict),
        .target(
            name: "Rehearsal", dependencies: ["Actors", "Coordinator", "Security", "TestSupport"],
            path: "Tests/Rehearsal", swiftSettings: strict),
        .executableTarget(
            name: "rehearse", dependencies: ["Rehearsal"], path: "Tests/RehearsalTool",
            swiftSettings: strict),
        .executableTarget(
            name: "echo-server", dependencies: ["Actors", "TestSupport"], path: "Tests/EchoServer",
            swiftSettings: strict),
        .testTarget(
            name: "RehearsalTests", dependencies: ["Rehearsal", "rehearse"], swiftSettings: strict),
        .testTarget(
            name: "TLSTests", dependencies: ["TLS", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "CoordinatorTests", dependencies: ["Coordinator", "Security", "TestSupport"],
            exclude: ["Scripts/page.js", "Transcripts"], swiftSettings: strict),
        .testTarget(
            name: "ActorsTests",
            dependencies: ["Actors", "Coordinator", "Security", "TLS", "TestSupport"],
            exclude: ["Store/Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "CoorddTests",
            dependencies: ["coordd", "Actors", "Coordinator", "TLS", "TestSupport"],
            swiftSettings: strict),
    ],
    cLanguageStandard: .gnu11
)
