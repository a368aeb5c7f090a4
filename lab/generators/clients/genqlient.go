package main

import (
	"context"
	"net/http"
	"os"

	"github.com/Khan/genqlient/graphql"
	maloteB "trial/B"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

type withKey struct{ key string }

func (sender withKey) Do(request *http.Request) (*http.Response, error) {
	if sender.key != "" {
		request.Header.Set("Authorization", "ApiKey "+os.Getenv("MALOTE_EMAIL")+":"+sender.key)
	}
	return http.DefaultClient.Do(request)
}

func clientOf(key string) graphql.Client {
	return graphql.NewClient(os.Getenv("MALOTE_URL")+"/graphql", withKey{key})
}

func newOrder(paymentMethod int) maloteB.CreateOrderInput {
	from := maloteB.AddressInput{Address: "Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200"}
	to := maloteB.AddressInput{Address: "Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"}
	content := maloteB.PackageInput{
		Recipient:  maloteB.RecipientInput{Name: "Bruno Lima", Phone: "+55 11 98888-7777"},
		Address:    to,
		Dimensions: maloteB.DimensionsInput{Width: 12, Height: 6, Length: 20, Weight: 520},
	}
	return maloteB.CreateOrderInput{
		PaymentMethod: paymentMethod,
		Pickups:       []maloteB.PickupInput{{Address: from}},
		Packages:      []maloteB.PackageInput{content},
	}
}

func main() {
	ctx := context.Background()
	login := maloteB.LoginInput{Email: os.Getenv("MALOTE_EMAIL"), Password: os.Getenv("MALOTE_PASSWORD")}
	user := must(maloteB.Login(ctx, clientOf(""), login)).Login.User
	client := clientOf(user.ApiKey)
	invoice := must(maloteB.PaymentMethods(ctx, client)).PaymentMethods[0].Id
	created := must(maloteB.CreateOrder(ctx, client, newOrder(invoice))).CreateOrder
	if !created.Success {
		panic(created.Errors[0].Field)
	}
	list := must(maloteB.Orders(ctx, client, 2)).Orders.Edges
	if list[0].Node.Pk != created.Orders[0].Pk {
		panic("the list of orders did not come out as it should")
	}
}
