import java.io.InputStream;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** Prints what SnakeYAML reads in each file: a JSON list of files, of documents each. Fails at a value that JSON does not have. */
class Read {
    private static final StringBuilder out = new StringBuilder();

    private static void text(String text) {
        out.append('"');
        text.chars().forEach(unit -> {
            if (unit < ' ' || unit > '~' || unit == '"' || unit == '\\') out.append(String.format("\\u%04x", unit));
            else out.append((char) unit);
        });
        out.append('"');
    }

    private static void list(Iterable<?> values) {
        out.append('[');
        String separator = "";
        for (Object each : values) {
            out.append(separator);
            json(each);
            separator = ",";
        }
        out.append(']');
    }

    private static void map(Map<?, ?> entries) {
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
            out.append(separator);
            text((String) entry.getKey());
            out.append(':');
            json(entry.getValue());
            separator = ",";
        }
        out.append('}');
    }

    private static void json(Object value) {
        if (value instanceof String) text((String) value);
        else if (value instanceof Map) map((Map<?, ?>) value);
        else if (value instanceof List) list((List<?>) value);
        else if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long
            || value instanceof BigInteger || value instanceof Double) out.append(value);
        else throw new IllegalArgumentException("JSON has no " + value.getClass() + ": " + value);
    }

    public static void main(String[] paths) throws Exception {
        String separator = "[";
        for (String path : paths) {
            out.append(separator);
            try (InputStream file = Files.newInputStream(Path.of(path))) {
                list(new Yaml().loadAll(file));
            }
            separator = ",";
        }
        new PrintStream(System.out, true, StandardCharsets.UTF_8).print(out.append(']'));
    }
}
