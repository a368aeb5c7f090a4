import java.io.File
import java.math.BigDecimal
import java.time.Instant
import java.time.temporal.ChronoUnit
import java.util.UUID
import kotlin.system.exitProcess
import malote.A.apis.AuthApi
import malote.A.apis.OrdersApi
import malote.A.apis.PackagesApi
import malote.A.apis.ProductsApi
import malote.A.infrastructure.ClientException
import malote.A.models.AddressInput
import malote.A.models.DimensionsInput
import malote.A.models.LoginRequest
import malote.A.models.OrderCreate
import malote.A.models.PackageInput
import malote.A.models.PackageItemInput
import malote.A.models.PickupInput
import malote.A.models.ProductInput
import malote.A.models.RecipientInput
import malote.D.apis.DeliveriesApi
import malote.D.apis.MovementsApi
import malote.D.apis.ProofOfDeliveryApi
import malote.D.models.MovementBatch
import malote.D.models.MovementInput
import malote.D.models.SendNowAll
import malote.D.models.SendNowRequest

val url: String = System.getenv("MALOTE_URL")

fun demand(holds: Boolean, what: String) = check(holds) { "$what did not come out as it should" }

fun token(email: String, password: String): String =
    AuthApi(url).login(LoginRequest(System.getenv(email), System.getenv(password))).accessToken

fun newPackage(dimensions: DimensionsInput? = null, items: List<PackageItemInput>? = null) =
    PackageInput(
        pickupIndex = 0,
        recipient = RecipientInput("Bruno Lima", "+55 11 98888-7777"),
        address = AddressInput("Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000"),
        dimensions = dimensions,
        items = items,
    )

fun newOrder(content: PackageInput): OrderCreate {
    val address = AddressInput("Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200")
    return OrderCreate(pickups = listOf(PickupInput(address)), packages = listOf(content))
}

fun customer(): UUID {
    malote.A.infrastructure.ApiClient.accessToken = token("MALOTE_EMAIL", "MALOTE_PASSWORD")
    val dimensions = DimensionsInput(BigDecimal(12), BigDecimal(6), BigDecimal(20), BigDecimal(520))
    val input = ProductInput(UUID.randomUUID().toString(), "Café torrado 500 g", "38.50", dimensions)
    val product = ProductsApi(url).createProduct(input)
    val orders = OrdersApi(url)
    val order = orders.createOrder(newOrder(newPackage(dimensions)), UUID.randomUUID().toString())
    orders.createOrder(newOrder(newPackage(items = listOf(PackageItemInput(product.id, 2)))))
    demand(orders.listOrders(pageSize = 1).pagination.totalItems >= 2, "the list of orders")
    val read = orders.getOrder(order.id)
    demand(read.pricing.total.contains("."), "the price")
    try {
        orders.getOrder(UUID.randomUUID())
        demand(false, "an order that is not there")
    } catch (error: ClientException) {
        demand(error.statusCode == 404, "the status of an error")
    }
    val packages = PackagesApi(url)
    val key = read.packages[0].loggiKey
    demand(packages.getOwnPackage(key).orderId == order.id, "the package")
    demand(packages.getPackageLabel(key).readText(Charsets.ISO_8859_1).startsWith("%PDF"), "the label")
    return key
}

fun deliver(key: UUID) {
    malote.D.infrastructure.ApiClient.accessToken = token("MALOTE_OPERATOR_EMAIL", "MALOTE_OPERATOR_PASSWORD")
    val now = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString()
    val movement = MovementInput(id = UUID.randomUUID(), loggiKey = key, statusCode = 5, happenedAt = now)
    val results = MovementsApi(url).recordMovements(MovementBatch(listOf(movement))).results
    demand(results[0].result == "recorded", "the movement")
    ProofOfDeliveryApi(url).putProofPhoto(key, File("photo.jpg"))
    demand(DeliveriesApi(url).sendNow(SendNowRequest(SendNowAll(true))).bodies == 0, "sending what waits")
}

fun main() {
    deliver(customer())
    // Its connections would keep the process for minutes.
    exitProcess(0)
}
