package main

import (
	"encoding/json"
	"os"

	malotec "trial/C"
)

// Reads a body as a receiver does, with a field and a code that it does not know.
func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var body map[string][]map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		panic(err)
	}
	sent := body["packages"][0]
	sent["weather"] = "fine"
	sent["status"].(map[string]any)["code"] = 12345
	changed, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	var payload malotec.TrackingWebhookSchemaJson
	if err := json.Unmarshal(changed, &payload); err != nil {
		panic(err)
	}
	first := payload.Packages[0]
	if first.LoggiKey != sent["loggiKey"] || first.Status.Code != 12345 || first.RequestTime.Nanosecond()%1000 != 0 {
		panic("the body did not come out as it should")
	}
}
