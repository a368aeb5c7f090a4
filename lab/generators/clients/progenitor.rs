use std::env::var;
use std::error::Error;

use futures::TryStreamExt;
use malote_a::types;
use serde_json::{from_value, json, Value};
use uuid::Uuid;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn bearer(token: &str) -> Outcome<reqwest::Client> {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("Authorization", format!("Bearer {token}").parse()?);
    Ok(reqwest::Client::builder().default_headers(headers).build()?)
}

async fn token(email: &str, password: &str) -> Outcome<String> {
    let login: types::LoginRequest = from_value(json!({ "email": var(email)?, "password": var(password)? }))?;
    let client = malote_a::Client::new(&var("MALOTE_URL")?);
    Ok(client.login().body(login).send().await?.access_token.to_string())
}

fn new_order(name: &str, value: Value) -> Outcome<types::OrderCreate> {
    let mut package = json!({
        "pickup_index": 0,
        "recipient": { "name": "Bruno Lima", "phone": "+55 11 98888-7777" },
        "address": { "address": "Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000" },
    });
    package[name] = value;
    let pickup = json!({ "address": { "address": "Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200" } });
    Ok(from_value(json!({ "pickups": [pickup], "packages": [package] }))?)
}

async fn customer() -> Outcome<Uuid> {
    let http = bearer(&token("MALOTE_EMAIL", "MALOTE_PASSWORD").await?)?;
    let client = malote_a::Client::new_with_client(&var("MALOTE_URL")?, http);
    let dimensions = json!({ "width": 12.0, "height": 6.0, "length": 20.0, "weight": 520.0 });
    let name = "Café torrado 500 g";
    let input = json!({ "sku": Uuid::new_v4(), "name": name, "price": "38.50", "dimensions": dimensions });
    let product = client.create_product().body(from_value::<types::ProductInput>(input)?).send().await?;
    let by_dimensions = new_order("dimensions", dimensions)?;
    let key = Uuid::new_v4().to_string();
    let order = client.create_order().idempotency_key(key).body(by_dimensions).send().await?;
    let by_items = new_order("items", json!([{ "product_id": product.id, "quantity": 2 }]))?;
    client.create_order().body(by_items).send().await?;
    let list = client.list_orders().page_size(std::num::NonZeroU64::MIN).send().await?;
    assert!(list.pagination.total_items >= 2);
    let read = client.get_order().id(order.id.clone()).send().await?;
    assert!(read.pricing.total.contains('.'));
    match client.get_order().id(Uuid::new_v4()).send().await {
        Err(malote_a::Error::ErrorResponse(refusal)) => assert_eq!(*refusal.error.code, "NOT_FOUND"),
        other => panic!("an order that is not there: {other:?}"),
    }
    let key: Uuid = *read.packages[0].loggi_key;
    assert_eq!(*client.get_own_package().loggi_key(key).send().await?.order_id, *order.id);
    let label = client.get_package_label().loggi_key(key).send().await?.into_inner();
    let bytes: Vec<u8> = label.into_inner().try_fold(Vec::new(), |all, part| async move { Ok([all, part.to_vec()].concat()) }).await?;
    assert!(bytes.starts_with(b"%PDF"));
    Ok(key)
}

async fn deliver(key: Uuid) -> Outcome<()> {
    let http = bearer(&token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD").await?)?;
    let client = malote_d::Client::new_with_client(&var("MALOTE_URL")?, http);
    let now = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    let movement = json!({ "id": Uuid::new_v4(), "loggi_key": key, "status_code": 5, "happened_at": now });
    let batch: malote_d::types::MovementBatch = from_value(json!({ "movements": [movement] }))?;
    assert_eq!(*client.record_movements().body(batch).send().await?.results[0].result, "recorded");
    client.put_proof_photo().loggi_key(key).body(std::fs::read("photo.jpg")?).send().await?;
    let all: malote_d::types::SendNowRequest = from_value(json!({ "all": true }))?;
    assert_eq!(client.send_now().body(all).send().await?.bodies, 0);
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let key = customer().await?;
    deliver(key).await
}
