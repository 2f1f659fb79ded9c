import os

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.results import Results
from dramatiq.results.backends import RedisBackend
from thumbnails import vips_jpeg

SOCKET = os.environ["BENCH_REDIS"]
broker = RedisBroker(url=f"unix://{SOCKET}?db=0")
broker.add_middleware(Results(backend=RedisBackend(url=f"unix://{SOCKET}?db=1")))
dramatiq.set_broker(broker)


@dramatiq.actor(store_results=True)
def thumbnail(source, output):
    data = vips_jpeg(source, (360, 360))
    with open(output, "wb") as file:
        file.write(data)
    return len(data)
