use std::env::var;
use std::error::Error;

use malote_a::apis::{auth_api, configuration::Configuration, orders_api, packages_api, products_api};
use malote_a::models::*;
use malote_d::apis::{deliveries_api, movements_api, proof_of_delivery_api};
use malote_d::models::{MovementBatch, MovementInput, SendNowAll, SendNowRequest};
use uuid::Uuid;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn rest(token: Option<String>) -> Outcome<Configuration> {
    Ok(Configuration { base_path: var("MALOTE_URL")?, bearer_access_token: token, ..Configuration::default() })
}

async fn token(email: &str, password: &str) -> Outcome<String> {
    let login = LoginRequest::new(var(email)?, var(password)?);
    Ok(auth_api::login(&rest(None)?, login).await?.access_token)
}

fn new_order(fill: impl FnOnce(&mut PackageInput)) -> OrderCreate {
    let recipient = RecipientInput::new("Bruno Lima".into(), "+55 11 98888-7777".into());
    let address = AddressInput::new("Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000".into());
    let mut package = PackageInput::new(0, recipient, address);
    fill(&mut package);
    let pickup = AddressInput::new("Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200".into());
    OrderCreate::new(vec![PickupInput::new(pickup)], vec![package])
}

async fn customer() -> Outcome<String> {
    let client = rest(Some(token("MALOTE_EMAIL", "MALOTE_PASSWORD").await?))?;
    let dimensions = DimensionsInput::new(12.0, 6.0, 20.0, 520.0);
    let sku = Uuid::new_v4().to_string();
    let product = ProductInput::new(sku, "Café torrado 500 g".into(), "38.50".into(), dimensions.clone());
    let product_id = products_api::create_product(&client, product, None).await?.id;
    let by_dimensions = new_order(|package| package.dimensions = Some(Box::new(dimensions)));
    let order = orders_api::create_order(&client, by_dimensions, Some(&Uuid::new_v4().to_string())).await?;
    let by_items = new_order(|package| package.items = Some(vec![PackageItemInput::new(product_id, 2)]));
    orders_api::create_order(&client, by_items, None).await?;
    let list = orders_api::list_orders(&client, None, Some(1), None, None, None, None, None, None, None).await?;
    assert!(list.pagination.total_items >= 2);
    let read = orders_api::get_order(&client, &order.id.to_string(), None).await?;
    assert!(read.pricing.total.contains('.'));
    match orders_api::get_order(&client, &Uuid::new_v4().to_string(), None).await {
        Err(malote_a::apis::Error::ResponseError(refusal)) => assert!(refusal.content.contains("NOT_FOUND")),
        other => panic!("an order that is not there: {other:?}"),
    }
    let key = read.packages[0].loggi_key.to_string();
    assert_eq!(packages_api::get_own_package(&client, &key, None).await?.order_id, order.id);
    let label = packages_api::get_package_label(&client, &key, None, None).await?.bytes().await?;
    assert!(label.starts_with(b"%PDF"));
    Ok(key)
}

async fn deliver(key: &str) -> Outcome<()> {
    let token = token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD").await?;
    let client = malote_d::apis::configuration::Configuration {
        base_path: var("MALOTE_URL")?,
        bearer_access_token: Some(token),
        ..Default::default()
    };
    let now = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    let mut movement = MovementInput::new(Uuid::new_v4(), 5, now);
    movement.loggi_key = Some(key.parse()?);
    let batch = MovementBatch::new(vec![movement]);
    let results = movements_api::record_movements(&client, batch, None).await?.results;
    assert_eq!(results[0].result, "recorded");
    proof_of_delivery_api::put_proof_photo(&client, key, "photo.jpg".into()).await?;
    let all = SendNowRequest::SendNowAll(Box::new(SendNowAll::new(true)));
    assert_eq!(deliveries_api::send_now(&client, all, None).await?.bodies, 0);
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    deliver(&customer().await?).await
}
