import Files
import Testing

@Test(arguments: [
    (120.0, 120.0, 3.0, "albums/a.jpg", "120x120@3x/albums/a.jpg"),
    (533.4, 1_000, 1, "a.JPG", "533.4x1000@1x/a.JPG"),
    (80, 60, 1.5, "a.jpeg", "80x60@1.5x/a.jpeg"),
    (80, 60, 2, "a.png", "80x60@2x/a.png.jpg"),
    (80, 60, 2, "album.jpg/a", "80x60@2x/album.jpg/a.jpg"),
    (80, 60, 2, ".jpg", "80x60@2x/.jpg.jpg"),
    (80, 60, 2, "a.jpg.", "80x60@2x/a.jpg..jpg"),
    (1e300, 0.1, 1, "a.jpg", "1e+300x0.1@1x/a.jpg"),
])
func `the default output is named after size, scale and source`(
    width: Double, height: Double, scale: Double, source: String, path: String
) {
    let output = OutputPath(width: width, height: height, scale: scale, sourceRelativePath: source)
    #expect(output.description == path)
}
