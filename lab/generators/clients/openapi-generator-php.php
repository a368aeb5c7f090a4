<?php

require __DIR__ . '/autoload.php';

use GuzzleHttp\Client;
use MaloteA\Api\AuthApi;
use MaloteA\Api\OrdersApi;
use MaloteA\Api\PackagesApi;
use MaloteA\Api\ProductsApi;
use MaloteA\Model;
use MaloteD\Api\DeliveriesApi;
use MaloteD\Api\MovementsApi;
use MaloteD\Api\ProofOfDeliveryApi;

function demand(bool $holds, string $what): void
{
    if (!$holds) {
        throw new Exception("$what did not come out as it should");
    }
}

function uuid(): string
{
    return preg_replace('/^(.{8})(.{4})(.{4})(.{4})(.{12})$/', '$1-$2-$3-$4-$5', bin2hex(random_bytes(16)));
}

function token(string $email, string $password): string
{
    $login = new Model\LoginRequest(['email' => getenv($email), 'password' => getenv($password)]);
    $configuration = (new MaloteA\Configuration())->setHost(getenv('MALOTE_URL'));
    return (new AuthApi(new Client(), $configuration))->login($login)->getAccessToken();
}

function newOrder(array $content): Model\OrderCreate
{
    $pickup = new Model\AddressInput(['address' => 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200']);
    $package = new Model\PackageInput([
        'pickup_index' => 0,
        'recipient' => new Model\RecipientInput(['name' => 'Bruno Lima', 'phone' => '+55 11 98888-7777']),
        'address' => new Model\AddressInput(['address' => 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000']),
        ...$content,
    ]);
    return new Model\OrderCreate(['pickups' => [new Model\PickupInput(['address' => $pickup])], 'packages' => [$package]]);
}

function customer(): string
{
    $configuration = (new MaloteA\Configuration())->setHost(getenv('MALOTE_URL'));
    $configuration->setAccessToken(token('MALOTE_EMAIL', 'MALOTE_PASSWORD'));
    $dimensions = new Model\DimensionsInput(['width' => 12, 'height' => 6, 'length' => 20, 'weight' => 520]);
    $input = ['sku' => uuid(), 'name' => 'Café torrado 500 g', 'price' => '38.50', 'dimensions' => $dimensions];
    $product = (new ProductsApi(new Client(), $configuration))->createProduct(new Model\ProductInput($input));
    $orders = new OrdersApi(new Client(), $configuration);
    $order = $orders->createOrder(newOrder(['dimensions' => $dimensions]), uuid());
    $item = new Model\PackageItemInput(['product_id' => $product->getId(), 'quantity' => 2]);
    $orders->createOrder(newOrder(['items' => [$item]]));
    demand($orders->listOrders(1, 1)->getPagination()->getTotalItems() >= 2, 'the list of orders');
    $read = $orders->getOrder($order->getId());
    demand(str_contains($read->getPricing()->getTotal(), '.'), 'the price');
    try {
        $orders->getOrder(uuid());
        demand(false, 'an order that is not there');
    } catch (MaloteA\ApiException $error) {
        demand($error->getResponseObject()->getError()->getCode() === 'NOT_FOUND', 'the code of an error');
    }
    $packages = new PackagesApi(new Client(), $configuration);
    $key = $read->getPackages()[0]->getLoggiKey();
    demand($packages->getOwnPackage($key)->getOrderId() === $order->getId(), 'the package');
    $label = $packages->getPackageLabel($key);
    demand($label->fread(4) === '%PDF', 'the label');
    return $key;
}

function deliver(string $key): void
{
    $configuration = (new MaloteD\Configuration())->setHost(getenv('MALOTE_URL'));
    $configuration->setAccessToken(token('MALOTE_OPERATOR_EMAIL', 'MALOTE_OPERATOR_PASSWORD'));
    $now = (new DateTime('now', new DateTimeZone('UTC')))->format('Y-m-d\TH:i:s.v\Z');
    $fields = ['id' => uuid(), 'loggi_key' => $key, 'status_code' => 5, 'happened_at' => $now];
    $batch = new MaloteD\Model\MovementBatch(['movements' => [new MaloteD\Model\MovementInput($fields)]]);
    $results = (new MovementsApi(new Client(), $configuration))->recordMovements($batch)->getResults();
    demand($results[0]->getResult() === 'recorded', 'the movement');
    (new ProofOfDeliveryApi(new Client(), $configuration))->putProofPhoto($key, file_get_contents('photo.jpg'));
    $all = new MaloteD\Model\SendNowAll(['all' => true]);
    demand((new DeliveriesApi(new Client(), $configuration))->sendNow($all)->getBodies() === 0, 'sending what waits');
}

deliver(customer());
