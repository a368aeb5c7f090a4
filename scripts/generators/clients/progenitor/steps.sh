source "$ROOT/scripts/generators/clients/shared/rust.sh"

# A macro generates the client while it is compiled.
generate() { cp "$DOCUMENT" "$CONTRACT/document.json"; }
