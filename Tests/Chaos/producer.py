"""A producer as a backend would write it: LPUSH and nothing else. Says of each job what it knows."""

import json
import sys
import time

import redis

socket, queue, name, count, seconds, pictures = sys.argv[1:]
count, seconds, pictures = int(count), float(seconds), pictures.split(",")
client = redis.Redis(unix_socket_path=socket, socket_timeout=5, retry_on_timeout=False)
start = time.monotonic()
for number in range(count):
    job_id = f"{name}-{number}"
    job = {
        "source": pictures[number % len(pictures)],
        "pt": {"width": 60, "height": 60},
        "scale": 2,
        "id": job_id,
        "output": f"done/{job_id}.jpg",
    }
    while True:
        try:
            client.lpush(queue, json.dumps(job))
            print("+" + job_id)
        except redis.exceptions.ResponseError:  # full, or a replica now: certainly not pushed
            time.sleep(0.05)
            continue
        except redis.exceptions.RedisError:  # the answer is lost: pushed, or not
            print("?" + job_id)
        break
    time.sleep(max(0, start + seconds * (number + 1) / count - time.monotonic()))
