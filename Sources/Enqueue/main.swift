print("enqueue")
