import CommandLineOptions
import Testing

@Test func `the help tells all that the table knows`() {
    #expect(
        Sample.table.helpText(width: 80) == """
            Usage: sample --pt WxH [options]

            Shows every kind of option, in a paragraph that is long enough to be broken into
            several lines when it is printed on a terminal of the usual width.

            Jobs:
              --pt WxH                  The box in points. [required; environment:
                                        SAMPLE_PT]
              --scale S,…               Pixels a point. [default: 1]
              --quality N               JPEG quality. [default: the worker's own]
              --colour NAME             A colour. [default: red]
              --wait                    Wait for the results. [environment: SAMPLE_WAIT]

            Limits:
              --memory-budget BYTES     The memory that jobs may hold together. [default:
                                        512 MiB; environment: SAMPLE_MEMORY_BUDGET]
              --drain-timeout TIME      How long running jobs may take after SIGTERM.
                                        [default: 25 s]

            Places:
              --source-root DIR         Where sources lie. [may be repeated; default: the
                                        current directory; environment: SAMPLE_SOURCE_ROOT]
              --redis URL               The Redis server. [default: redis://127.0.0.1;
                                        environment: REDIS_URL]

            Other:
              --help                    Show this text and exit.
              --version                 Show the version and exit.
              --generate WHAT           Print this program's manual page (man), what a shell
                                        needs to complete its options (complete-bash,
                                        complete-zsh, complete-fish), or a file of its
                                        environment variables for a service manager
                                        (environment), and exit.

            Examples:
              sample --pt 120x120 --scale 3
                  One thumbnail for a phone.

            Exit status:
                0  done
               64  the command line is wrong

            """)
}

@Test(arguments: [60, 80, 90, 100])
func `no line is wider than asked for`(width: Int) {
    for line in Sample.table.helpText(width: width).split(separator: "\n") { #expect(line.count <= width) }
}

@Test func `exit statuses are those that scripts rely on`() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 64, 66, 69, 74, 75, 78, 130])
}
