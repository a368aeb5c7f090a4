import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import malote.C.TrackingWebhookSchema;

/** Reads a body as a receiver does, with a field and a code that it does not know. */
class Drive {
  public static void main(String... arguments) throws Exception {
    var mapper = new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    var body = mapper.readTree(Files.readString(Path.of(arguments[0])));
    var sent = (ObjectNode) body.get("packages").get(0);
    sent.put("weather", "fine");
    var status = (ObjectNode) sent.get("status");
    status.put("code", 12345).putObject("actionRequired").put("reasonLabel", "label").put("reasonDescription", "text");
    var first = mapper.treeToValue(body, TrackingWebhookSchema.class).getPackages().get(0);
    var holds =
        first.getLoggiKey().equals(sent.get("loggiKey").asText())
            && first.getStatus().getCode() == 12345
            && first.getStatus().getActionRequired().getReasonLabel().equals("label");
    if (!holds) throw new AssertionError("the body did not come out as it should");
  }
}
