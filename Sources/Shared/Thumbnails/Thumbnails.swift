// Thumbnails
