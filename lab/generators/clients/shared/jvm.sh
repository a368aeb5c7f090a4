# What the steps of generators for Java and Kotlin have in common; sourced by them. pom.xml names what their clients need.

classpath() {
  command -v mvn >/dev/null || exit 77
  mvn --quiet --batch-mode -Dmaven.repo.local="$repository" dependency:build-classpath -Dmdep.outputFile=classpath
}
