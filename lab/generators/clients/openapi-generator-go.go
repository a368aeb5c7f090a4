package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	maloteA "trial/A"
	maloteD "trial/D"
)

func demand(holds bool, what string) {
	if !holds {
		panic(what + " did not come out as it should")
	}
}

func must[T any](value T, response any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func id() string {
	bytes := make([]byte, 16)
	file := must3(os.Open("/dev/urandom"))
	defer file.Close()
	must3(io.ReadFull(file, bytes))
	return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[0:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:16])
}

func must3[T any](value T, err error) T { return must(value, nil, err) }

var rest, operator = clients(os.Getenv("MALOTE_URL"))

func clients(url string) (*maloteA.APIClient, *maloteD.APIClient) {
	a := maloteA.NewConfiguration()
	a.Servers = maloteA.ServerConfigurations{{URL: url}}
	d := maloteD.NewConfiguration()
	d.Servers = maloteD.ServerConfigurations{{URL: url}}
	return maloteA.NewAPIClient(a), maloteD.NewAPIClient(d)
}

func token(email, password string) string {
	login := rest.AuthAPI.Login(context.Background())
	return must(login.LoginRequest(*maloteA.NewLoginRequest(os.Getenv(email), os.Getenv(password))).Execute()).AccessToken
}

func newPackage() maloteA.PackageInput {
	recipient := *maloteA.NewRecipientInput("Bruno Lima", "+55 11 98888-7777")
	return *maloteA.NewPackageInput(0, recipient, *maloteA.NewAddressInput("Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"))
}

func newOrder(content maloteA.PackageInput) maloteA.OrderCreate {
	pickup := *maloteA.NewPickupInput(*maloteA.NewAddressInput("Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200"))
	return *maloteA.NewOrderCreate([]maloteA.PickupInput{pickup}, []maloteA.PackageInput{content})
}

func customer() string {
	ctx := context.WithValue(context.Background(), maloteA.ContextAccessToken, token("MALOTE_EMAIL", "MALOTE_PASSWORD"))
	dimensions := *maloteA.NewDimensionsInput(12, 6, 20, 520)
	product := must(rest.ProductsAPI.CreateProduct(ctx).ProductInput(*maloteA.NewProductInput(id(), "Café torrado 500 g", "38.50", dimensions)).Execute())
	byDimensions, byItems := newPackage(), newPackage()
	byDimensions.SetDimensions(dimensions)
	byItems.SetItems([]maloteA.PackageItemInput{*maloteA.NewPackageItemInput(product.Id, 2)})
	order := must(rest.OrdersAPI.CreateOrder(ctx).OrderCreate(newOrder(byDimensions)).IdempotencyKey(id()).Execute())
	must(rest.OrdersAPI.CreateOrder(ctx).OrderCreate(newOrder(byItems)).Execute())
	demand(must(rest.OrdersAPI.ListOrders(ctx).PageSize(1).Execute()).Pagination.TotalItems >= 2, "the list of orders")
	read := must(rest.OrdersAPI.GetOrder(ctx, order.Id).Execute())
	demand(strings.Contains(read.Pricing.Total, "."), "the price")
	_, _, err := rest.OrdersAPI.GetOrder(ctx, id()).Execute()
	var refusal *maloteA.GenericOpenAPIError
	demand(errors.As(err, &refusal), "an order that is not there")
	demand(refusal.Model().(maloteA.ErrorEnvelope).Error.Code == "NOT_FOUND", "the code of an error")
	key := read.Packages[0].LoggiKey
	must(rest.PackagesAPI.GetOwnPackage(ctx, key).Execute())
	label := must3(io.ReadAll(must(rest.PackagesAPI.GetPackageLabel(ctx, key).Execute())))
	demand(strings.HasPrefix(string(label), "%PDF"), "the label")
	return key
}

func deliver(key string) {
	ctx := context.WithValue(context.Background(), maloteD.ContextAccessToken, token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD"))
	movement := *maloteD.NewMovementInput(id(), 5, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	movement.SetLoggiKey(key)
	batch := *maloteD.NewMovementBatch([]maloteD.MovementInput{movement})
	results := must(operator.MovementsAPI.RecordMovements(ctx).MovementBatch(batch).Execute()).Results
	demand(results[0].Result == "recorded", "the movement")
	must3(operator.ProofOfDeliveryAPI.PutProofPhoto(ctx, key).Body(must3(os.Open("photo.jpg"))).Execute())
	all := maloteD.SendNowAllAsSendNowRequest(maloteD.NewSendNowAll(true))
	demand(must(operator.DeliveriesAPI.SendNow(ctx).SendNowRequest(all).Execute()).Bodies == 0, "sending what waits")
}

func main() { deliver(customer()) }
