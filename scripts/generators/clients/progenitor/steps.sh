source "$ROOT/scripts/generators/clients/shared/rust.sh"

# A macro generates the client while it is compiled; it takes the form from the name of the file.
generate() {
  local document="document.${DOCUMENT##*.}"
  cp "$DOCUMENT" "$CONTRACT/$document"
  sed -i "s/document\.[a-z]*/$document/" "$CONTRACT/src/lib.rs"
}
