// CLinux is headers only; SwiftPM asks for one source file.
