source "$ROOT/lab/generators/clients/shared/python.sh"

install() { packages "datamodel-code-generator==$VERSION" pydantic==2.14.3; }

generate() {
  datamodel-codegen --input "$DOCUMENT" --input-file-type jsonschema --output payload.py \
    --output-model-type pydantic_v2.BaseModel --target-python-version 3.11
}

compile() { python -c 'import payload'; }

drive() { python read.py "$ROOT/contracts/examples/tracking-payload.json"; }
