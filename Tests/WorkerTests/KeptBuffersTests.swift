import Testing
import Units

@testable import Worker

@Suite struct KeptBuffersTests {
    @Test(arguments: [0, 1, 40, 50, 60, 99, 100])
    func `buffers are kept in what no job has reserved, and only as much as jobs hold`(reserved: Int) {
        let (held, total) = (ByteCount(reserved), ByteCount(100))
        let loan = KeptBuffers.loan(reserved: held, of: total)
        #expect(loan <= total - held && loan <= held)
        #expect(loan == held || loan == total - held)
    }
}
