import cv2
from loop import serve
from thumbnails import opencv_jpeg

cv2.setNumThreads(1)
serve(opencv_jpeg, pixels=None)
