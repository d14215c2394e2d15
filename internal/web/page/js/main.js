const heading = document.createElement("h1");
heading.textContent = "Hermes";
document.getElementById("app").append(heading);
