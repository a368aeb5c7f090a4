// A receiver of tracking updates. Java >= 17, nothing to install: java Receiver.java
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

public class Receiver {
    static final int TOLERANCE_SECONDS = 300;
    static final int LONGEST_BODY = 1 << 20;
    static final int PORT = Integer.parseInt(System.getenv().getOrDefault("PORT", "8443"));
    static final String LOGIN = base64((setting("WEBHOOK_USERNAME") + ":" + setting("WEBHOOK_PASSWORD")).getBytes(UTF_8));
    // While a secret is being rotated, list both, separated by a space.
    static final List<byte[]> KEYS = List.of(setting("WEBHOOK_SECRET").split(" ")).stream()
            .map(secret -> Base64.getDecoder().decode(secret.replace("whsec_", ""))).toList();
    // The list of codes is open: one that this code does not know is shown by its name.
    static final Map<Integer, String> MEANINGS =
            Map.of(5, "delivered", 6, "needs you", 8, "returned", 11, "out for delivery");
    // A body may come twice, under the same id. Keep the ids in your database, in the transaction that `handle` writes in.
    static final Set<String> SEEN = new HashSet<>();
    // When the newest update of each package was recorded. A body that was sent again late must not overwrite a newer one.
    static final Map<String, String> NEWEST = new HashMap<>();

    static String setting(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) throw new IllegalStateException(name + " is not set");
        return value;
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(UTF_8), other.getBytes(UTF_8));
    }

    static String header(Headers headers, String name) {
        String value = headers.getFirst(name);
        return value == null ? "" : value;
    }

    /** Basic, then the signature, over the bytes as they came, as https://www.standardwebhooks.com says. */
    static boolean isGenuine(Headers headers, byte[] body) throws GeneralSecurityException {
        String sentAt = header(headers, "webhook-timestamp");
        if (!same(header(headers, "authorization"), "Basic " + LOGIN) || !sentAt.matches("\\d{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(sentAt)) > TOLERANCE_SECONDS) return false;
        for (byte[] key : KEYS) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update((header(headers, "webhook-id") + "." + sentAt + ".").getBytes(UTF_8));
            String valid = "v1," + base64(mac.doFinal(body));
            for (String given : header(headers, "webhook-signature").split(" ")) if (same(given, valid)) return true;
        }
        return false;
    }

    static void handle(Map<?, ?> update) {
        String key = (String) update.get("loggiKey");
        String time = (String) update.get("requestTime");
        // Not the status's updatedTime: a delivery that is reported late is current, though it happened before others.
        if (time.compareTo(NEWEST.getOrDefault(key, "")) < 0) return;
        NEWEST.put(key, time);
        Map<?, ?> status = (Map<?, ?>) update.get("status");
        int code = ((Number) status.get("code")).intValue();
        System.out.println(key + " " + code + " " + MEANINGS.getOrDefault(code, (String) status.get("highLevelStatus")));
    }

    /** Requests come at the same time; the database that keeps all this instead has transactions. */
    static synchronized void handleOnce(String id, List<?> packages) {
        if (SEEN.contains(id)) return;
        for (Object update : packages) handle((Map<?, ?>) update);
        SEEN.add(id);
    }

    static int answer(HttpExchange exchange) {
        try {
            byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY);
            Headers headers = exchange.getRequestHeaders();
            if (!exchange.getRequestMethod().equals("POST") || !isGenuine(headers, body)) return 401;
            Map<?, ?> payload = (Map<?, ?>) new Json(new String(body, UTF_8)).value();
            handleOnce(header(headers, "webhook-id"), (List<?>) payload.get("packages"));
            return 200;
        } catch (Exception error) {
            // What fails here is sent again later.
            return 500;
        }
    }

    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        // Otherwise the end of an answer waits until the client has confirmed its beginning: 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setOut(new PrintStream(System.out, true, UTF_8));
        HttpsServer server = HttpsServer.create(new InetSocketAddress(PORT), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls()));
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(answer(exchange), -1);
            exchange.close();
        });
        server.start();
        System.out.println("listening at " + PORT);
    }

    static SSLContext tls() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (var pem = Files.newInputStream(Path.of(setting("TLS_CERT")))) {
            var certificates = CertificateFactory.getInstance("X.509").generateCertificates(pem);
            PrivateKey key = privateKey(Files.readString(Path.of(setting("TLS_KEY"))));
            store.setKeyEntry("receiver", key, new char[0], certificates.toArray(Certificate[]::new));
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    /** Of the form PKCS 8 (BEGIN PRIVATE KEY). */
    static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        byte[] bytes = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        for (String algorithm : List.of("EC", "RSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            } catch (InvalidKeySpecException other) {
                // It is of another algorithm.
            }
        }
        throw new InvalidKeySpecException("TLS_KEY is neither an EC nor an RSA key");
    }

    /** Reads JSON of a body whose signature was right. The JDK has no reader of it: take your library's instead. */
    static final class Json {
        static final Pattern TOKEN = Pattern.compile("\\s*([{}\\[\\],:]|\"(?:[^\"\\\\]++|\\\\.)*+\"|[^\\s{}\\[\\],:\"]++)");
        static final Pattern ESCAPE = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)");
        final Matcher tokens;

        Json(String text) {
            tokens = TOKEN.matcher(text);
        }

        Object value() {
            return valueOf(next());
        }

        String next() {
            if (!tokens.find()) throw new IllegalArgumentException("not JSON");
            return tokens.group(1);
        }

        Object valueOf(String token) {
            switch (token.charAt(0)) {
                case '{':
                    Map<String, Object> object = new HashMap<>();
                    for (String name = next(); !name.equals("}"); name = next()) {
                        if (name.equals(",")) continue;
                        next();
                        object.put(text(name), value());
                    }
                    return object;
                case '[':
                    List<Object> list = new ArrayList<>();
                    for (String item = next(); !item.equals("]"); item = next()) if (!item.equals(",")) list.add(valueOf(item));
                    return list;
                case '"': return text(token);
                case 't': return true;
                case 'f': return false;
                case 'n': return null;
                default: return Double.valueOf(token);
            }
        }

        static String text(String quoted) {
            return ESCAPE.matcher(quoted.substring(1, quoted.length() - 1))
                    .replaceAll(match -> Matcher.quoteReplacement(escaped(match.group(1))));
        }

        static String escaped(String escape) {
            return switch (escape.charAt(0)) {
                case 'n' -> "\n";
                case 'r' -> "\r";
                case 't' -> "\t";
                case 'b' -> "\b";
                case 'f' -> "\f";
                case 'u' -> String.valueOf((char) Integer.parseInt(escape.substring(1), 16));
                default -> escape;
            };
        }
    }
}
