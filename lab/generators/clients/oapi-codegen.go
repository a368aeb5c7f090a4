package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	maloteA "trial/A"
	maloteD "trial/D"
)

func demand(holds bool, what string) {
	if !holds {
		panic(what + " did not come out as it should")
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var ctx = context.Background()
var url = os.Getenv("MALOTE_URL")

func bearer(token string) func(context.Context, *http.Request) error {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

func token(email, password string) string {
	client := must(maloteA.NewClientWithResponses(url))
	secret := os.Getenv(password)
	login := maloteA.LoginRequest{Email: os.Getenv(email), Password: &secret}
	return must(client.LoginWithResponse(ctx, login)).JSON200.AccessToken
}

func newPackage() maloteA.PackageInput {
	return maloteA.PackageInput{
		Recipient: maloteA.RecipientInput{Name: "Bruno Lima", Phone: "+55 11 98888-7777"},
		Address:   maloteA.AddressInput{Address: "Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"},
	}
}

func newOrder(content maloteA.PackageInput) maloteA.OrderCreate {
	pickup := maloteA.AddressInput{Address: "Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200"}
	return maloteA.OrderCreate{
		Pickups:  []maloteA.PickupInput{{Address: pickup}},
		Packages: []maloteA.PackageInput{content},
	}
}

func customer() uuid.UUID {
	as := maloteA.WithRequestEditorFn(bearer(token("MALOTE_EMAIL", "MALOTE_PASSWORD")))
	client := must(maloteA.NewClientWithResponses(url, as))
	dimensions := maloteA.DimensionsInput{Width: 12, Height: 6, Length: 20, Weight: 520}
	input := maloteA.ProductInput{Sku: uuid.NewString(), Name: "Café torrado 500 g", Price: "38.50", Dimensions: dimensions}
	product := must(client.CreateProductWithResponse(ctx, nil, input)).JSON201
	byDimensions, byItems := newPackage(), newPackage()
	byDimensions.Dimensions = &dimensions
	byItems.Items = &[]maloteA.PackageItemInput{{ProductId: product.Id, Quantity: 2}}
	key := uuid.NewString()
	params := &maloteA.CreateOrderParams{IdempotencyKey: &key}
	order := must(client.CreateOrderWithResponse(ctx, params, newOrder(byDimensions))).JSON201
	demand(must(client.CreateOrderWithResponse(ctx, nil, newOrder(byItems))).JSON201 != nil, "the order by items")
	one := 1
	list := must(client.ListOrdersWithResponse(ctx, &maloteA.ListOrdersParams{PageSize: &one})).JSON200
	demand(list.Pagination.TotalItems >= 2, "the list of orders")
	read := must(client.GetOrderWithResponse(ctx, order.Id, nil)).JSON200
	demand(strings.Contains(read.Pricing.Total, "."), "the price")
	missing := must(client.GetOrderWithResponse(ctx, uuid.New(), nil)).JSON404
	demand(missing.Error.Code == "NOT_FOUND", "an order that is not there")
	loggiKey := uuid.UUID(read.Packages[0].LoggiKey)
	demand(must(client.GetOwnPackageWithResponse(ctx, loggiKey, nil)).JSON200.OrderId == order.Id, "the package")
	label := must(client.GetPackageLabelWithResponse(ctx, loggiKey, nil)).Body
	demand(bytes.HasPrefix(label, []byte("%PDF")), "the label")
	return loggiKey
}

func deliver(key uuid.UUID) {
	as := maloteD.WithRequestEditorFn(bearer(token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD")))
	client := must(maloteD.NewClientWithResponses(url, as))
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	loggiKey := maloteD.LoggiKey(key)
	movement := maloteD.MovementInput{Id: uuid.New(), LoggiKey: &loggiKey, StatusCode: 5, HappenedAt: now}
	batch := maloteD.MovementBatch{Movements: []maloteD.MovementInput{movement}}
	results := must(client.RecordMovementsWithResponse(ctx, nil, batch)).JSON200.Results
	demand(results[0].Result == "recorded", "the movement")
	photo := must(os.Open("photo.jpg"))
	sent := must(client.PutProofPhotoWithBodyWithResponse(ctx, key, "application/octet-stream", photo))
	demand(sent.StatusCode() == 204, "the photo")
	var all maloteD.SendNowRequest
	if err := all.FromSendNowAll(maloteD.SendNowAll{All: true}); err != nil {
		panic(err)
	}
	demand(must(client.SendNowWithResponse(ctx, nil, all)).JSON202.Bodies == 0, "sending what waits")
}

func main() { deliver(customer()) }
