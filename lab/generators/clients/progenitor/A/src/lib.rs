progenitor::generate_api!(spec = "document.json", interface = Builder);
