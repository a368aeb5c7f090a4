source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
source "$ROOT/lab/generators/clients/shared/jvm.sh"
language=kotlin
properties=packageName=malote.${CONTRACT:-},serializationLibrary=gson,generateOneOfAnyOfWrappers=true

install() {
  install_generator
  classpath
}

build() {
  java -Xmx2g -cp "$(cat classpath)" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -nowarn -no-stdlib -no-reflect \
    -classpath "$(cat classpath):classes" -d classes "$@"
}

compile() { build "$CONTRACT/src/main/kotlin"; }

drive() {
  build Drive.kt
  java -cp "$(cat classpath):classes" DriveKt
}
