import Testing

@testable import Fleet

@Test func `numbers are grouped`() { #expect(grouped(-1_234_567) == "-1,234,567") }
