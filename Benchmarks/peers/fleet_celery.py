import os

import celery
from thumbnails import vips_jpeg

SOCKET = os.environ["BENCH_REDIS"]
app = celery.Celery(
    broker=f"redis+socket://{SOCKET}?virtual_host=0", backend=f"redis+socket://{SOCKET}?virtual_host=1")


@app.task(name="fleet_celery.thumbnail")
def thumbnail(source, output):
    data = vips_jpeg(source, (360, 360))
    with open(output, "wb") as file:
        file.write(data)
    return len(data)
