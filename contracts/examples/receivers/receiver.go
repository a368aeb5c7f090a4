// A receiver of tracking updates. Go >= 1.19, nothing to install: go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance   = 5 * time.Minute
	longestBody = 1 << 20
)

var (
	login = base64.StdEncoding.EncodeToString([]byte(setting("WEBHOOK_USERNAME") + ":" + setting("WEBHOOK_PASSWORD")))
	// While a secret is being rotated, list both, separated by a space.
	keys = decoded(strings.Fields(setting("WEBHOOK_SECRET")))
	// The list of codes is open: one that this code does not know is shown by its name.
	meanings = map[int]string{5: "delivered", 6: "needs you", 8: "returned", 11: "out for delivery"}
)

func setting(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatal(name + " is not set")
	}
	return value
}

func decoded(secrets []string) (keys [][]byte) {
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			log.Fatal("WEBHOOK_SECRET is not a signing secret")
		}
		keys = append(keys, key)
	}
	return keys
}

func same(one, other string) bool {
	return hmac.Equal([]byte(one), []byte(other))
}

// Basic, then the signature, over the bytes as they came, as https://www.standardwebhooks.com says.
func isGenuine(headers http.Header, body []byte) bool {
	id, sentAt := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	if !same(headers.Get("authorization"), "Basic "+login) {
		return false
	}
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + sentAt + "."))
		mac.Write(body)
		valid := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Fields(headers.Get("webhook-signature")) {
			if same(given, valid) {
				return true
			}
		}
	}
	return false
}

// What this receiver needs of a body; fields that it does not know are left out.
type update struct {
	LoggiKey    string `json:"loggiKey"`
	RequestTime string `json:"requestTime"`
	Status      struct {
		Code            int    `json:"code"`
		HighLevelStatus string `json:"highLevelStatus"`
	} `json:"status"`
}

type payload struct {
	Packages []update `json:"packages"`
}

// Requests come at the same time; the database that keeps all this instead has transactions.
var lock sync.Mutex

// A body may come twice, under the same id. Keep the ids in your database, in the transaction that `handle` writes in.
var seen = map[string]bool{}

// When the newest update of each package was recorded. A body that was sent again late must not overwrite a newer one.
var newest = map[string]string{}

func handle(one update) {
	// Not the status's updatedTime: a delivery that is reported late is current, though it happened before other statuses.
	if one.RequestTime < newest[one.LoggiKey] {
		return
	}
	newest[one.LoggiKey] = one.RequestTime
	meaning, known := meanings[one.Status.Code]
	if !known {
		meaning = one.Status.HighLevelStatus
	}
	fmt.Println(one.LoggiKey, one.Status.Code, meaning)
}

func answer(request *http.Request) int {
	body, err := io.ReadAll(io.LimitReader(request.Body, longestBody))
	if err != nil || request.Method != http.MethodPost || !isGenuine(request.Header, body) {
		return http.StatusUnauthorized
	}
	var delivery payload
	if err := json.Unmarshal(body, &delivery); err != nil {
		// What fails here is sent again later.
		return http.StatusInternalServerError
	}
	lock.Lock()
	defer lock.Unlock()
	if id := request.Header.Get("webhook-id"); !seen[id] {
		for _, one := range delivery.Packages {
			handle(one)
		}
		seen[id] = true
	}
	return http.StatusOK
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8443"
	}
	listener, err := net.Listen("tcp", ":"+port)
	if err != nil {
		log.Fatal(err)
	}
	server := http.Server{
		Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			response.WriteHeader(answer(request))
		}),
		ReadTimeout: 30 * time.Second,
	}
	fmt.Println("listening at", port)
	log.Fatal(server.ServeTLS(listener, setting("TLS_CERT"), setting("TLS_KEY")))
}
