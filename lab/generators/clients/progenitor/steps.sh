source "$ROOT/lab/generators/clients/shared/rust.sh"

# A body has one type for it: the first of those that a picture may be sent as. YAML is read and written by a library on the way.
one_type='
  const { readFileSync, writeFileSync } = require("node:fs");
  const { parse, stringify } = require(process.env.ROOT + "/node_modules/yaml");
  const [source, target] = process.argv.slice(1);
  const form = target.endsWith(".json") ? JSON : { parse, stringify };
  const document = form.parse(readFileSync(source, "utf8"));
  for (const { requestBody } of Object.values(document.paths).flatMap((path) => Object.values(path)))
    if (requestBody) requestBody.content = Object.fromEntries(Object.entries(requestBody.content).slice(0, 1));
  writeFileSync(target, form.stringify(document));'

# A macro generates the client while it is compiled; it takes the form from the name of the file.
generate() {
  local document="document.${DOCUMENT##*.}"
  ROOT="$ROOT" node -e "$one_type" "$DOCUMENT" "$CONTRACT/$document"
  sed -i "s/document\.[a-z]*/$document/" "$CONTRACT/src/lib.rs"
}
