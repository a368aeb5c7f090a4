import java.io.File;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import malote.A.api.AuthApi;
import malote.A.api.OrdersApi;
import malote.A.api.PackagesApi;
import malote.A.api.ProductsApi;
import malote.A.model.AddressInput;
import malote.A.model.DimensionsInput;
import malote.A.model.LoginRequest;
import malote.A.model.Order;
import malote.A.model.OrderCreate;
import malote.A.model.PackageInput;
import malote.A.model.PackageItemInput;
import malote.A.model.PickupInput;
import malote.A.model.ProductInput;
import malote.A.model.RecipientInput;
import malote.D.api.DeliveriesApi;
import malote.D.api.MovementsApi;
import malote.D.api.ProofOfDeliveryApi;
import malote.D.model.MovementBatch;
import malote.D.model.MovementInput;
import malote.D.model.SendNowAll;
import malote.D.model.SendNowRequest;

class Drive {
  static void demand(boolean holds, String what) {
    if (!holds) throw new AssertionError(what + " did not come out as it should");
  }

  static malote.A.ApiClient rest(String token) {
    var client = new malote.A.ApiClient().setBasePath(System.getenv("MALOTE_URL"));
    client.setBearerToken(token);
    return client;
  }

  static String token(String email, String password) throws Exception {
    var login = new LoginRequest().email(System.getenv(email)).password(System.getenv(password));
    return new AuthApi(rest(null)).login(login).getAccessToken();
  }

  static PackageInput newPackage() {
    return new PackageInput()
        .pickupIndex(0)
        .recipient(new RecipientInput().name("Bruno Lima").phone("+55 11 98888-7777"))
        .address(new AddressInput().address("Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"));
  }

  static OrderCreate newOrder(PackageInput content) {
    var address = new AddressInput().address("Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200");
    return new OrderCreate().addPickupsItem(new PickupInput().address(address)).addPackagesItem(content);
  }

  static UUID customer() throws Exception {
    var client = rest(token("MALOTE_EMAIL", "MALOTE_PASSWORD"));
    var dimensions =
        new DimensionsInput()
            .width(BigDecimal.valueOf(12))
            .height(BigDecimal.valueOf(6))
            .length(BigDecimal.valueOf(20))
            .weight(BigDecimal.valueOf(520));
    var input = new ProductInput().sku(UUID.randomUUID().toString()).name("Café torrado 500 g").price("38.50");
    var product = new ProductsApi(client).createProduct(input.dimensions(dimensions), null);
    var orders = new OrdersApi(client);
    var order = orders.createOrder(newOrder(newPackage().dimensions(dimensions)), UUID.randomUUID().toString());
    var item = new PackageItemInput().productId(product.getId()).quantity(2);
    orders.createOrder(newOrder(newPackage().items(List.of(item))), null);
    var list = orders.listOrders(1, 1, null, null, null, null, null, null, null);
    demand(list.getPagination().getTotalItems() >= 2, "the list of orders");
    Order read = orders.getOrder(order.getId(), null);
    demand(read.getPricing().getTotal().contains("."), "the price");
    try {
      orders.getOrder(UUID.randomUUID(), null);
      demand(false, "an order that is not there");
    } catch (malote.A.ApiException error) {
      demand(error.getResponseBody().contains("NOT_FOUND"), "the code of an error");
    }
    var packages = new PackagesApi(client);
    var key = read.getPackages().get(0).getLoggiKey();
    demand(packages.getOwnPackage(key, null).getOrderId().equals(order.getId()), "the package");
    var label = Files.readAllBytes(packages.getPackageLabel(key, null, null).toPath());
    demand(new String(label, StandardCharsets.ISO_8859_1).startsWith("%PDF"), "the label");
    return key;
  }

  static void deliver(UUID key) throws Exception {
    var client = new malote.D.ApiClient().setBasePath(System.getenv("MALOTE_URL"));
    client.setBearerToken(token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD"));
    var now = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    var movement = new MovementInput().id(UUID.randomUUID()).loggiKey(key).statusCode(5).happenedAt(now);
    var results = new MovementsApi(client).recordMovements(new MovementBatch().addMovementsItem(movement), null);
    demand(results.getResults().get(0).getResult().equals("recorded"), "the movement");
    new ProofOfDeliveryApi(client).putProofPhoto(key, new File("photo.jpg"));
    var all = new SendNowRequest(new SendNowAll().all(true));
    demand(new DeliveriesApi(client).sendNow(all, null).getBodies() == 0, "sending what waits");
  }

  public static void main(String... arguments) throws Exception {
    deliver(customer());
    // Its connections would keep the process for minutes.
    System.exit(0);
  }
}
