// PictureFormats
