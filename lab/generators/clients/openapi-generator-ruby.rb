require 'securerandom'
require 'time'
require 'uri'
require 'malote_A'
require 'malote_D'

def demand(holds, what)
  raise "#{what} did not come out as it should" unless holds
end

def client_of(api, token = nil)
  url = URI(ENV.fetch('MALOTE_URL'))
  configuration = api::Configuration.new
  configuration.scheme = url.scheme
  configuration.host = "#{url.host}:#{url.port}"
  configuration.access_token = token
  api::ApiClient.new(configuration)
end

def token(email, password)
  login = MaloteA::LoginRequest.new(email: ENV.fetch(email), password: ENV.fetch(password))
  MaloteA::AuthApi.new(client_of(MaloteA)).login(login).access_token
end

def order_of(**content)
  pickup = MaloteA::AddressInput.new(address: 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200')
  package = MaloteA::PackageInput.new(
    pickup_index: 0,
    recipient: MaloteA::RecipientInput.new(name: 'Bruno Lima', phone: '+55 11 98888-7777'),
    address: MaloteA::AddressInput.new(address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000'),
    **content
  )
  MaloteA::OrderCreate.new(pickups: [MaloteA::PickupInput.new(address: pickup)], packages: [package])
end

def customer
  client = client_of(MaloteA, token('MALOTE_EMAIL', 'MALOTE_PASSWORD'))
  dimensions = MaloteA::DimensionsInput.new(width: 12, height: 6, length: 20, weight: 520)
  input = { sku: SecureRandom.uuid, name: 'Café torrado 500 g', price: '38.50', dimensions: dimensions }
  product = MaloteA::ProductsApi.new(client).create_product(MaloteA::ProductInput.new(input))
  orders = MaloteA::OrdersApi.new(client)
  order = orders.create_order(order_of(dimensions: dimensions), idempotency_key: SecureRandom.uuid)
  orders.create_order(order_of(items: [MaloteA::PackageItemInput.new(product_id: product.id, quantity: 2)]))
  demand(orders.list_orders(page_size: 1).pagination.total_items >= 2, 'the list of orders')
  read = orders.get_order(order.id)
  demand(read.pricing.total.include?('.'), 'the price')
  begin
    orders.get_order(SecureRandom.uuid)
    demand(false, 'an order that is not there')
  rescue MaloteA::ApiError => e
    demand(e.response_body.include?('NOT_FOUND'), 'the code of an error')
  end
  packages = MaloteA::PackagesApi.new(client)
  key = read.packages[0].loggi_key
  demand(packages.get_own_package(key).order_id == order.id, 'the package')
  label = packages.get_package_label(key)
  demand(File.binread(label.path).start_with?('%PDF'), 'the label')
  key
end

def deliver(key)
  client = client_of(MaloteD, token('MALOTE_OPERATOR_EMAIL', 'MALOTE_OPERATOR_PASSWORD'))
  fields = { id: SecureRandom.uuid, loggi_key: key, status_code: 5, happened_at: Time.now.utc.iso8601(3) }
  batch = MaloteD::MovementBatch.new(movements: [MaloteD::MovementInput.new(fields)])
  results = MaloteD::MovementsApi.new(client).record_movements(batch).results
  demand(results[0].result == 'recorded', 'the movement')
  MaloteD::ProofOfDeliveryApi.new(client).put_proof_photo(key, File.binread('photo.jpg'))
  sent = MaloteD::DeliveriesApi.new(client).send_now(MaloteD::SendNowAll.new(all: true))
  demand(sent.bodies.zero?, 'sending what waits')
end

deliver(customer)
