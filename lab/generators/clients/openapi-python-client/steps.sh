source "$ROOT/lab/generators/clients/shared/python.sh"

install() { packages "openapi-python-client==$VERSION" ruff==0.14.0; }

generate() {
  openapi-python-client generate --path "$DOCUMENT" --meta none --config config.yaml --overwrite \
    --output-path "malote_$CONTRACT" --fail-on-warning
}

compile() { check "malote_$CONTRACT"; }

drive() { python drive.py; }
